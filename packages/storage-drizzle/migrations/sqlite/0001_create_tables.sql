CREATE TABLE `kyc_relay_kyc_status_corrections` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`correction_id` text NOT NULL,
	`user_id` text NOT NULL,
	`previous` text NOT NULL,
	`next` text NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`reason` text NOT NULL,
	`after_verification` integer NOT NULL,
	CONSTRAINT "kyc_relay_kyc_status_corrections_previous_check" CHECK(previous IN ('UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL')),
	CONSTRAINT "kyc_relay_kyc_status_corrections_next_check" CHECK(next IN ('UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL'))
) STRICT;

CREATE UNIQUE INDEX `kyc_relay_kyc_status_corrections_by_id` ON `kyc_relay_kyc_status_corrections` (`correction_id`);

CREATE INDEX `kyc_relay_kyc_status_corrections_of_user` ON `kyc_relay_kyc_status_corrections` (`user_id`,`position`);

CREATE TABLE `kyc_relay_kyc_status_outbox` (
	`user_id` text NOT NULL,
	`change_id` text NOT NULL,
	`app_id` text,
	`previous` text NOT NULL,
	`next` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `change_id`),
	CONSTRAINT "kyc_relay_kyc_status_outbox_previous_check" CHECK(previous IN ('UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL')),
	CONSTRAINT "kyc_relay_kyc_status_outbox_next_check" CHECK(next IN ('UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL'))
) STRICT, WITHOUT ROWID;

CREATE INDEX `kyc_relay_kyc_status_outbox_by_age` ON `kyc_relay_kyc_status_outbox` (`at`,`change_id`);

CREATE TABLE `kyc_relay_verifications` (
	`position` integer PRIMARY KEY NOT NULL,
	`verification_id` text NOT NULL,
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`external_verification_id` text NOT NULL,
	`external_verification_provider` text NOT NULL,
	`schema_version` text NOT NULL,
	`decision` text NOT NULL,
	`decisioned_at` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`country_code` text NOT NULL,
	`result_status` text NOT NULL,
	`result_message` text NOT NULL,
	`payload_digest` blob,
	`ssn_token` text,
	`ssn_state` text,
	`document_number_token` text,
	`previous_status` text NOT NULL,
	`next_status` text NOT NULL,
	`status_at` integer NOT NULL,
	`sections` text NOT NULL,
	`checks` text NOT NULL,
	`decline_codes` text NOT NULL,
	`sealed_details` blob NOT NULL,
	`erasable_key` blob,
	`erasable_mac` blob NOT NULL,
	CONSTRAINT "kyc_relay_verifications_decision_check" CHECK(decision IN ('PASSED', 'FAILED')),
	CONSTRAINT "kyc_relay_verifications_result_status_check" CHECK(result_status IN ('VERIFIED', 'ALREADY_VERIFIED', 'DECLINED')),
	CONSTRAINT "kyc_relay_verifications_ssn_state_check" CHECK(ssn_state IN ('COLLECTED', 'VALIDATED')),
	CONSTRAINT "kyc_relay_verifications_previous_status_check" CHECK(previous_status IN ('UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL')),
	CONSTRAINT "kyc_relay_verifications_next_status_check" CHECK(next_status IN ('UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL')),
	CONSTRAINT "kyc_relay_verifications_ssn_check" CHECK(ssn_token IS NULL OR ssn_state IS NOT NULL)
) STRICT;

CREATE UNIQUE INDEX `kyc_relay_verifications_by_id` ON `kyc_relay_verifications` (`verification_id`);

CREATE INDEX `kyc_relay_verifications_of_app` ON `kyc_relay_verifications` (`app_id`,`verification_id`);

CREATE INDEX `kyc_relay_verifications_of_app_by_result` ON `kyc_relay_verifications` (`app_id`,`result_status`,`verification_id`);

CREATE INDEX `kyc_relay_verifications_of_user` ON `kyc_relay_verifications` (`user_id`,`app_id`,`position`);

CREATE INDEX `kyc_relay_verifications_by_ssn_token` ON `kyc_relay_verifications` (`ssn_token`) WHERE ssn_token IS NOT NULL;

CREATE INDEX `kyc_relay_verifications_by_document_number_token` ON `kyc_relay_verifications` (`document_number_token`) WHERE document_number_token IS NOT NULL;

CREATE UNIQUE INDEX `kyc_relay_verifications_by_external_id` ON `kyc_relay_verifications` (`app_id`,`external_verification_id`);

CREATE TABLE `kyc_relay_photo_jobs` (
	`photo_job_id` text PRIMARY KEY NOT NULL,
	`verification` integer NOT NULL,
	`side` text NOT NULL,
	`sealed_url` blob,
	`state` text NOT NULL,
	`attempts_made` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer,
	`lease_token` text,
	`lease_until` integer,
	`ended_at` integer,
	`last_failure` text,
	FOREIGN KEY (`verification`) REFERENCES `kyc_relay_verifications`(`position`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "kyc_relay_photo_jobs_side_check" CHECK(side IN ('front', 'back', 'selfie')),
	CONSTRAINT "kyc_relay_photo_jobs_state_check" CHECK(state IN ('PENDING', 'STORED', 'REFUSED', 'UNAVAILABLE', 'ERASED')),
	CONSTRAINT "kyc_relay_photo_jobs_pending_check" CHECK((state = 'PENDING') = (due_at IS NOT NULL OR lease_token IS NOT NULL)),
	CONSTRAINT "kyc_relay_photo_jobs_lease_check" CHECK((lease_token IS NULL) = (lease_until IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX `kyc_relay_photo_jobs_due` ON `kyc_relay_photo_jobs` (`due_at`) WHERE due_at IS NOT NULL;

CREATE INDEX `kyc_relay_photo_jobs_leased` ON `kyc_relay_photo_jobs` (`lease_until`) WHERE lease_until IS NOT NULL;

CREATE INDEX `kyc_relay_photo_jobs_of_verification` ON `kyc_relay_photo_jobs` (`verification`);

CREATE TABLE `kyc_relay_access_tokens` (
	`hash` blob PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`scopes` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`app_id`,`user_id`) REFERENCES `kyc_relay_grants`(`app_id`,`user_id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;

CREATE INDEX `kyc_relay_access_tokens_of_grant` ON `kyc_relay_access_tokens` (`app_id`,`user_id`);

CREATE INDEX `kyc_relay_access_tokens_by_expiry` ON `kyc_relay_access_tokens` (`expires_at`);

CREATE TABLE `kyc_relay_api_keys` (
	`app_id` text NOT NULL,
	`version` integer NOT NULL,
	`hash` blob NOT NULL,
	`sealed` blob NOT NULL,
	`created_at` integer NOT NULL,
	`signs_from` integer NOT NULL,
	`retired_at` integer,
	`issued_reason` text,
	`revoked_reason` text,
	PRIMARY KEY(`app_id`, `version`),
	FOREIGN KEY (`app_id`) REFERENCES `kyc_relay_apps`(`app_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "kyc_relay_api_keys_version_check" CHECK(version >= 1)
) STRICT;

CREATE UNIQUE INDEX `kyc_relay_api_keys_by_hash` ON `kyc_relay_api_keys` (`hash`);

CREATE TABLE `kyc_relay_apps` (
	`app_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE `kyc_relay_grants` (
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`account_id` text NOT NULL,
	`external_reference_id` text NOT NULL,
	`scopes` text NOT NULL,
	PRIMARY KEY(`app_id`, `user_id`),
	FOREIGN KEY (`app_id`) REFERENCES `kyc_relay_apps`(`app_id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;

CREATE INDEX `kyc_relay_grants_of_user` ON `kyc_relay_grants` (`user_id`);

CREATE INDEX `kyc_relay_grants_by_reference` ON `kyc_relay_grants` (`app_id`,`external_reference_id`,`user_id`);

CREATE TABLE `kyc_relay_revoked_grants` (
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`revoked_at` integer NOT NULL,
	PRIMARY KEY(`app_id`, `user_id`),
	FOREIGN KEY (`app_id`) REFERENCES `kyc_relay_apps`(`app_id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;

CREATE INDEX `kyc_relay_revoked_grants_of_user` ON `kyc_relay_revoked_grants` (`user_id`);

CREATE TABLE `kyc_relay_attempts` (
	`delivery` integer NOT NULL,
	`number` integer NOT NULL,
	`state` text NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`report` text,
	`response_body` blob,
	PRIMARY KEY(`delivery`, `number`),
	FOREIGN KEY (`delivery`) REFERENCES `kyc_relay_deliveries`(`position`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "kyc_relay_attempts_state_check" CHECK(state IN ('STARTED', 'SUCCEEDED', 'FAILED', 'INTERRUPTED', 'UNSENT')),
	CONSTRAINT "kyc_relay_attempts_ended_check" CHECK((state = 'STARTED') = (ended_at IS NULL))
) STRICT;

CREATE INDEX `kyc_relay_attempts_by_age` ON `kyc_relay_attempts` (`started_at`);

CREATE TABLE `kyc_relay_deliveries` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`delivery_id` text NOT NULL,
	`event` integer NOT NULL,
	`endpoint` integer NOT NULL,
	`x_event_id` text NOT NULL,
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`event_type` text NOT NULL,
	`class` integer DEFAULT 1 NOT NULL,
	`state` text NOT NULL,
	`attempts_made` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer,
	`lease_token` text,
	`lease_until` integer,
	`unsent_since` integer,
	`ended_at` integer,
	`cancel_reason` text,
	`cancel_requested` text,
	`resend_of` text,
	`http_status` integer,
	`latency_ms` real,
	FOREIGN KEY (`event`) REFERENCES `kyc_relay_events`(`position`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`endpoint`) REFERENCES `kyc_relay_endpoints`(`position`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "kyc_relay_deliveries_state_check" CHECK(state IN ('PENDING', 'DELIVERED', 'FAILED', 'CANCELLED')),
	CONSTRAINT "kyc_relay_deliveries_lease_check" CHECK((lease_token IS NULL) = (lease_until IS NULL)),
	CONSTRAINT "kyc_relay_deliveries_pending_check" CHECK((state = 'PENDING') = ((due_at IS NULL) <> (lease_token IS NULL))),
	CONSTRAINT "kyc_relay_deliveries_ended_check" CHECK((state = 'PENDING') = (ended_at IS NULL)),
	CONSTRAINT "kyc_relay_deliveries_cancelled_check" CHECK((state = 'CANCELLED') = (cancel_reason IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX `kyc_relay_deliveries_by_id` ON `kyc_relay_deliveries` (`delivery_id`);

CREATE INDEX `kyc_relay_deliveries_waiting` ON `kyc_relay_deliveries` (`endpoint`,`class`,`due_at`,`position`) WHERE due_at IS NOT NULL;

CREATE INDEX `kyc_relay_deliveries_leased` ON `kyc_relay_deliveries` (`lease_until`,`position`) WHERE lease_until IS NOT NULL;

CREATE INDEX `kyc_relay_deliveries_of_app` ON `kyc_relay_deliveries` (`app_id`,`created_at`,`position`);

CREATE INDEX `kyc_relay_deliveries_of_app_by_type` ON `kyc_relay_deliveries` (`app_id`,`event_type`,`created_at`,`position`);

CREATE INDEX `kyc_relay_deliveries_of_app_by_state` ON `kyc_relay_deliveries` (`app_id`,`state`,`created_at`,`position`) WHERE state <> 'DELIVERED';

CREATE INDEX `kyc_relay_deliveries_of_app_by_status` ON `kyc_relay_deliveries` (`app_id`,`http_status`,`created_at`,`position`) WHERE http_status <> 200;

CREATE INDEX `kyc_relay_deliveries_of_endpoint` ON `kyc_relay_deliveries` (`endpoint`,`created_at`,`position`);

CREATE INDEX `kyc_relay_deliveries_of_event` ON `kyc_relay_deliveries` (`event`);

CREATE INDEX `kyc_relay_deliveries_by_x_event_id` ON `kyc_relay_deliveries` (`x_event_id`);

CREATE TABLE `kyc_relay_endpoint_hours` (
	`endpoint` integer NOT NULL,
	`hour` integer NOT NULL,
	`cause` text NOT NULL,
	`attempts` integer NOT NULL,
	`first_attempts` integer NOT NULL,
	`failed_deliveries` integer NOT NULL,
	PRIMARY KEY(`endpoint`, `hour`, `cause`),
	FOREIGN KEY (`endpoint`) REFERENCES `kyc_relay_endpoints`(`position`) ON UPDATE no action ON DELETE no action
) STRICT;

CREATE INDEX `kyc_relay_endpoint_hours_by_hour` ON `kyc_relay_endpoint_hours` (`hour`);

CREATE TABLE `kyc_relay_endpoint_schedules` (
	`endpoint` integer PRIMARY KEY NOT NULL,
	`in_flight` integer DEFAULT 0 NOT NULL,
	`failing` integer DEFAULT 0 NOT NULL,
	`failing_since` integer,
	`last_success_at` integer,
	`paused` integer DEFAULT 0 NOT NULL,
	`last_claimed_at` integer DEFAULT 0 NOT NULL,
	`next_due_at` integer,
	`waiting_since` integer GENERATED ALWAYS AS (max(next_due_at, last_claimed_at)) VIRTUAL,
	FOREIGN KEY (`endpoint`) REFERENCES `kyc_relay_endpoints`(`position`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "kyc_relay_endpoint_schedules_in_flight_check" CHECK(in_flight >= 0),
	CONSTRAINT "kyc_relay_endpoint_schedules_failing_check" CHECK(failing IN (0, 1)),
	CONSTRAINT "kyc_relay_endpoint_schedules_paused_check" CHECK(paused IN (0, 1))
) STRICT;

CREATE INDEX `kyc_relay_endpoint_schedules_in_order` ON `kyc_relay_endpoint_schedules` (`failing`,`waiting_since`,`next_due_at`,`endpoint`,`in_flight`,`paused`) WHERE next_due_at IS NOT NULL;

CREATE INDEX `kyc_relay_endpoint_schedules_paused` ON `kyc_relay_endpoint_schedules` (`endpoint`) WHERE paused = 1;

CREATE INDEX `kyc_relay_endpoint_schedules_by_due` ON `kyc_relay_endpoint_schedules` (`next_due_at`) WHERE next_due_at IS NOT NULL;

CREATE TABLE `kyc_relay_endpoints` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`endpoint_id` text NOT NULL,
	`app_id` text NOT NULL,
	`url` text NOT NULL,
	`lineage_id` text NOT NULL,
	`description` text,
	`event_types` text,
	`headers` text,
	`standard_webhooks` integer NOT NULL,
	`paused_by` text,
	`created_at` integer NOT NULL,
	`removed_at` integer,
	CONSTRAINT "kyc_relay_endpoints_standard_webhooks_check" CHECK(standard_webhooks IN (0, 1)),
	CONSTRAINT "kyc_relay_endpoints_paused_by_check" CHECK(paused_by IN ('PARTNER', 'OPERATOR'))
) STRICT;

CREATE UNIQUE INDEX `kyc_relay_endpoints_by_id` ON `kyc_relay_endpoints` (`endpoint_id`);

CREATE INDEX `kyc_relay_endpoints_by_url` ON `kyc_relay_endpoints` (`app_id`,`url`);

CREATE INDEX `kyc_relay_endpoints_of_lineage` ON `kyc_relay_endpoints` (`app_id`,`lineage_id`,`position`);

CREATE INDEX `kyc_relay_endpoints_of_app` ON `kyc_relay_endpoints` (`app_id`,`created_at`,`position`) WHERE removed_at IS NULL;

CREATE TABLE `kyc_relay_events` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` text NOT NULL,
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`type` text NOT NULL,
	`occurred_at` integer NOT NULL,
	`body` blob,
	`test` integer NOT NULL,
	`source_event_id` text,
	`withheld` text,
	`created_at` integer NOT NULL,
	`trace_context` text,
	CONSTRAINT "kyc_relay_events_test_check" CHECK(test IN (0, 1)),
	CONSTRAINT "kyc_relay_events_withheld_check" CHECK(withheld IN ('SCOPE_NOT_GRANTED', 'NO_GRANT', 'NO_ENDPOINT'))
) STRICT;

CREATE UNIQUE INDEX `kyc_relay_events_by_id` ON `kyc_relay_events` (`event_id`);

CREATE UNIQUE INDEX `kyc_relay_events_by_source` ON `kyc_relay_events` (`app_id`,`source_event_id`) WHERE source_event_id IS NOT NULL;

CREATE INDEX `kyc_relay_events_of_app` ON `kyc_relay_events` (`app_id`,`created_at`,`position`);

CREATE INDEX `kyc_relay_events_in_feed` ON `kyc_relay_events` (`app_id`,`position`);

CREATE INDEX `kyc_relay_events_of_user` ON `kyc_relay_events` (`user_id`,`app_id`,`position`);

CREATE INDEX `kyc_relay_events_withheld` ON `kyc_relay_events` (`app_id`,`created_at`,`position`) WHERE withheld IS NOT NULL;

CREATE INDEX `kyc_relay_events_by_age` ON `kyc_relay_events` (`created_at`) WHERE body IS NOT NULL;

CREATE TABLE `kyc_relay_recoveries` (
	`recovery_id` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`endpoint` integer NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL,
	`event_types` text,
	`state` text NOT NULL,
	`after_created_at` integer,
	`after_position` integer,
	`created` integer DEFAULT 0 NOT NULL,
	`acknowledged` integer DEFAULT 0 NOT NULL,
	`pending` integer DEFAULT 0 NOT NULL,
	`without_scope` integer DEFAULT 0 NOT NULL,
	`erased` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`endpoint`) REFERENCES `kyc_relay_endpoints`(`position`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "kyc_relay_recoveries_state_check" CHECK(state IN ('RUNNING', 'DONE', 'STOPPED'))
) STRICT;

CREATE INDEX `kyc_relay_recoveries_of_endpoint` ON `kyc_relay_recoveries` (`endpoint`);

CREATE UNIQUE INDEX `kyc_relay_recoveries_running` ON `kyc_relay_recoveries` (`endpoint`) WHERE state = 'RUNNING';

CREATE INDEX `kyc_relay_recoveries_in_order` ON `kyc_relay_recoveries` (`created_at`,`recovery_id`) WHERE state = 'RUNNING';

CREATE TABLE `kyc_relay_transaction_moves` (
	`event` integer PRIMARY KEY NOT NULL,
	`transaction_id` text NOT NULL,
	`revision` integer NOT NULL,
	`state` text NOT NULL,
	FOREIGN KEY (`event`) REFERENCES `kyc_relay_events`(`position`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`transaction_id`) REFERENCES `kyc_relay_transactions`(`transaction_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "kyc_relay_transaction_moves_state_check" CHECK(state IN ('PENDING', 'SETTLED', 'DECLINED'))
) STRICT;

CREATE UNIQUE INDEX `kyc_relay_transaction_moves_by_revision` ON `kyc_relay_transaction_moves` (`transaction_id`,`revision`);

CREATE TABLE `kyc_relay_transactions` (
	`transaction_id` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`state` text NOT NULL,
	`revision` integer NOT NULL,
	`fields` text,
	`moved_at` integer NOT NULL,
	CONSTRAINT "kyc_relay_transactions_state_check" CHECK(state IN ('PENDING', 'SETTLED', 'DECLINED')),
	CONSTRAINT "kyc_relay_transactions_revision_check" CHECK(revision >= 1)
) STRICT, WITHOUT ROWID;

CREATE INDEX `kyc_relay_transactions_of_user` ON `kyc_relay_transactions` (`user_id`,`app_id`);

CREATE INDEX `kyc_relay_transactions_with_fields` ON `kyc_relay_transactions` (`moved_at`) WHERE fields IS NOT NULL;

CREATE TABLE `kyc_relay_user_retention` (
	`user_id` text PRIMARY KEY NOT NULL,
	`held_at` integer,
	`hold_reason` text,
	`closed_at` integer,
	`erasure_id` text,
	`erasure_started_at` integer,
	`erased_at` integer,
	CONSTRAINT "kyc_relay_user_retention_hold_check" CHECK((held_at IS NULL) = (hold_reason IS NULL)),
	CONSTRAINT "kyc_relay_user_retention_erasure_check" CHECK(held_at IS NULL OR erasure_started_at IS NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX `kyc_relay_user_retention_held` ON `kyc_relay_user_retention` (`user_id`) WHERE held_at IS NOT NULL;

CREATE INDEX `kyc_relay_user_retention_closed` ON `kyc_relay_user_retention` (`closed_at`,`user_id`) WHERE closed_at IS NOT NULL;

CREATE TABLE `kyc_relay_audit_entries` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`at` integer NOT NULL,
	`app_id` text,
	`user_id` text,
	`subject` text NOT NULL,
	`actor` text,
	`reason` text,
	`content_digest` blob NOT NULL,
	`key_id` text NOT NULL,
	`previous_mac` blob NOT NULL,
	`mac` blob NOT NULL,
	CONSTRAINT "kyc_relay_audit_entries_sequence_check" CHECK(sequence >= 1)
) STRICT;

CREATE UNIQUE INDEX `kyc_relay_audit_entries_of_row` ON `kyc_relay_audit_entries` (`subject`) WHERE kind = 'VERIFICATION_RECORDED';

CREATE TABLE `kyc_relay_readiness` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	CONSTRAINT "kyc_relay_readiness_id_check" CHECK(id = 1)
) STRICT;
