CREATE TABLE `kyc_relay_receiver_events` (
	`event_id` text PRIMARY KEY NOT NULL,
	`fence` integer NOT NULL,
	`state` text NOT NULL,
	`at` integer NOT NULL,
	CONSTRAINT "kyc_relay_receiver_events_fence_check" CHECK(fence >= 1),
	CONSTRAINT "kyc_relay_receiver_events_state_check" CHECK(state IN ('CLAIMED', 'RELEASED', 'COMPLETED'))
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_receiver_migrations (
  number INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  schema_sha256 TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;

CREATE INDEX `kyc_relay_receiver_events_by_age` ON `kyc_relay_receiver_events` (`at`);
