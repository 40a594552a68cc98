CREATE TABLE "kyc_relay_receiver_events" (
	"event_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"fence" integer NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "kyc_relay_receiver_events_fence_check" CHECK (fence >= 1),
	CONSTRAINT "kyc_relay_receiver_events_state_check" CHECK (state IN ('CLAIMED', 'RELEASED', 'COMPLETED'))
);

CREATE INDEX "kyc_relay_receiver_events_by_age" ON "kyc_relay_receiver_events" USING btree ("at");
