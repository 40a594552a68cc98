CREATE TABLE `kyc_relay_access_tokens` (
	`hash` blob PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`scopes` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`app_id`,`user_id`) REFERENCES `kyc_relay_grants`(`app_id`,`user_id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
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
CREATE TABLE `kyc_relay_apps` (
	`app_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL
) STRICT, WITHOUT ROWID;
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
CREATE TABLE kyc_relay_commit_count (number INTEGER NOT NULL) STRICT;
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
CREATE TABLE `kyc_relay_grants` (
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`account_id` text NOT NULL,
	`external_reference_id` text NOT NULL,
	`scopes` text NOT NULL,
	PRIMARY KEY(`app_id`, `user_id`),
	FOREIGN KEY (`app_id`) REFERENCES `kyc_relay_apps`(`app_id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
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
CREATE TABLE kyc_relay_migrations (
  number INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  schema_sha256 TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;
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
CREATE TABLE `kyc_relay_readiness` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	CONSTRAINT "kyc_relay_readiness_id_check" CHECK(id = 1)
) STRICT;
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
CREATE TABLE `kyc_relay_revoked_grants` (
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`revoked_at` integer NOT NULL,
	PRIMARY KEY(`app_id`, `user_id`),
	FOREIGN KEY (`app_id`) REFERENCES `kyc_relay_apps`(`app_id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
CREATE TABLE `kyc_relay_transaction_moves` (
	`event` integer PRIMARY KEY NOT NULL,
	`transaction_id` text NOT NULL,
	`revision` integer NOT NULL,
	`state` text NOT NULL,
	FOREIGN KEY (`event`) REFERENCES `kyc_relay_events`(`position`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`transaction_id`) REFERENCES `kyc_relay_transactions`(`transaction_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "kyc_relay_transaction_moves_state_check" CHECK(state IN ('PENDING', 'SETTLED', 'DECLINED'))
) STRICT;
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
CREATE TABLE `kyc_relay_vault_audit` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`actor` text NOT NULL,
	`purpose` text NOT NULL,
	`token` text,
	`record_id` text,
	`part` text,
	CONSTRAINT "kyc_relay_vault_audit_token_check" CHECK((token IS NULL) = (record_id IS NOT NULL)),
	CONSTRAINT "kyc_relay_vault_audit_part_check" CHECK((record_id IS NULL) = (part IS NULL))
) STRICT;
CREATE TABLE `kyc_relay_vault_audit_entries` (
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
	CONSTRAINT "kyc_relay_vault_audit_entries_sequence_check" CHECK(sequence >= 1)
) STRICT;
CREATE TABLE kyc_relay_vault_commit_count (number INTEGER NOT NULL) STRICT;
CREATE TABLE `kyc_relay_vault_data_keys` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`key_id` text NOT NULL,
	`wrapped` blob NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
CREATE TABLE `kyc_relay_vault_key_checks` (
	`key_id` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`check_value` text NOT NULL,
	CONSTRAINT "kyc_relay_vault_key_checks_purpose_check" CHECK(purpose IN ('seal', 'fingerprint', 'audit'))
) STRICT, WITHOUT ROWID;
CREATE TABLE kyc_relay_vault_migrations (
  number INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  schema_sha256 TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;
CREATE TABLE `kyc_relay_vault_readiness` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	CONSTRAINT "kyc_relay_vault_readiness_id_check" CHECK(id = 1)
) STRICT;
CREATE TABLE `kyc_relay_vault_tokens` (
	`position` integer PRIMARY KEY NOT NULL,
	`token` text NOT NULL,
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`field` text NOT NULL,
	`fingerprint` blob NOT NULL,
	`sealed` blob,
	`created_at` integer NOT NULL,
	`data_key` integer NOT NULL,
	`quarantined_at` integer,
	CONSTRAINT "kyc_relay_vault_tokens_field_check" CHECK(field IN ('ssn', 'document_number')),
	CONSTRAINT "kyc_relay_vault_tokens_sealed_check" CHECK((field = 'ssn') = (sealed IS NOT NULL))
) STRICT;
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
CREATE INDEX `kyc_relay_access_tokens_by_expiry` ON `kyc_relay_access_tokens` (`expires_at`);
CREATE INDEX `kyc_relay_access_tokens_of_grant` ON `kyc_relay_access_tokens` (`app_id`,`user_id`);
CREATE UNIQUE INDEX `kyc_relay_api_keys_by_hash` ON `kyc_relay_api_keys` (`hash`);
CREATE INDEX `kyc_relay_attempts_by_age` ON `kyc_relay_attempts` (`started_at`);
CREATE UNIQUE INDEX `kyc_relay_audit_entries_of_row` ON `kyc_relay_audit_entries` (`subject`) WHERE kind = 'VERIFICATION_RECORDED';
CREATE UNIQUE INDEX `kyc_relay_deliveries_by_id` ON `kyc_relay_deliveries` (`delivery_id`);
CREATE INDEX `kyc_relay_deliveries_by_x_event_id` ON `kyc_relay_deliveries` (`x_event_id`);
CREATE INDEX `kyc_relay_deliveries_leased` ON `kyc_relay_deliveries` (`lease_until`,`position`) WHERE lease_until IS NOT NULL;
CREATE INDEX `kyc_relay_deliveries_of_app` ON `kyc_relay_deliveries` (`app_id`,`created_at`,`position`);
CREATE INDEX `kyc_relay_deliveries_of_app_by_state` ON `kyc_relay_deliveries` (`app_id`,`state`,`created_at`,`position`) WHERE state <> 'DELIVERED';
CREATE INDEX `kyc_relay_deliveries_of_app_by_status` ON `kyc_relay_deliveries` (`app_id`,`http_status`,`created_at`,`position`) WHERE http_status <> 200;
CREATE INDEX `kyc_relay_deliveries_of_app_by_type` ON `kyc_relay_deliveries` (`app_id`,`event_type`,`created_at`,`position`);
CREATE INDEX `kyc_relay_deliveries_of_endpoint` ON `kyc_relay_deliveries` (`endpoint`,`created_at`,`position`);
CREATE INDEX `kyc_relay_deliveries_of_event` ON `kyc_relay_deliveries` (`event`);
CREATE INDEX `kyc_relay_deliveries_waiting` ON `kyc_relay_deliveries` (`endpoint`,`class`,`due_at`,`position`) WHERE due_at IS NOT NULL;
CREATE INDEX `kyc_relay_endpoint_hours_by_hour` ON `kyc_relay_endpoint_hours` (`hour`);
CREATE INDEX `kyc_relay_endpoint_schedules_by_due` ON `kyc_relay_endpoint_schedules` (`next_due_at`) WHERE next_due_at IS NOT NULL;
CREATE INDEX `kyc_relay_endpoint_schedules_in_order` ON `kyc_relay_endpoint_schedules` (`failing`,`waiting_since`,`next_due_at`,`endpoint`,`in_flight`,`paused`) WHERE next_due_at IS NOT NULL;
CREATE INDEX `kyc_relay_endpoint_schedules_paused` ON `kyc_relay_endpoint_schedules` (`endpoint`) WHERE paused = 1;
CREATE UNIQUE INDEX `kyc_relay_endpoints_by_id` ON `kyc_relay_endpoints` (`endpoint_id`);
CREATE INDEX `kyc_relay_endpoints_by_url` ON `kyc_relay_endpoints` (`app_id`,`url`);
CREATE INDEX `kyc_relay_endpoints_of_app` ON `kyc_relay_endpoints` (`app_id`,`created_at`,`position`) WHERE removed_at IS NULL;
CREATE INDEX `kyc_relay_endpoints_of_lineage` ON `kyc_relay_endpoints` (`app_id`,`lineage_id`,`position`);
CREATE INDEX `kyc_relay_events_by_age` ON `kyc_relay_events` (`created_at`) WHERE body IS NOT NULL;
CREATE UNIQUE INDEX `kyc_relay_events_by_id` ON `kyc_relay_events` (`event_id`);
CREATE UNIQUE INDEX `kyc_relay_events_by_source` ON `kyc_relay_events` (`app_id`,`source_event_id`) WHERE source_event_id IS NOT NULL;
CREATE INDEX `kyc_relay_events_in_feed` ON `kyc_relay_events` (`app_id`,`position`);
CREATE INDEX `kyc_relay_events_of_app` ON `kyc_relay_events` (`app_id`,`created_at`,`position`);
CREATE INDEX `kyc_relay_events_of_user` ON `kyc_relay_events` (`user_id`,`app_id`,`position`);
CREATE INDEX `kyc_relay_events_withheld` ON `kyc_relay_events` (`app_id`,`created_at`,`position`) WHERE withheld IS NOT NULL;
CREATE INDEX `kyc_relay_grants_by_reference` ON `kyc_relay_grants` (`app_id`,`external_reference_id`,`user_id`);
CREATE INDEX `kyc_relay_grants_of_user` ON `kyc_relay_grants` (`user_id`);
CREATE UNIQUE INDEX `kyc_relay_kyc_status_corrections_by_id` ON `kyc_relay_kyc_status_corrections` (`correction_id`);
CREATE INDEX `kyc_relay_kyc_status_corrections_of_user` ON `kyc_relay_kyc_status_corrections` (`user_id`,`position`);
CREATE INDEX `kyc_relay_kyc_status_outbox_by_age` ON `kyc_relay_kyc_status_outbox` (`at`,`change_id`);
CREATE INDEX `kyc_relay_photo_jobs_due` ON `kyc_relay_photo_jobs` (`due_at`) WHERE due_at IS NOT NULL;
CREATE INDEX `kyc_relay_photo_jobs_leased` ON `kyc_relay_photo_jobs` (`lease_until`) WHERE lease_until IS NOT NULL;
CREATE INDEX `kyc_relay_photo_jobs_of_verification` ON `kyc_relay_photo_jobs` (`verification`);
CREATE INDEX `kyc_relay_receiver_events_by_age` ON `kyc_relay_receiver_events` (`at`);
CREATE INDEX `kyc_relay_recoveries_in_order` ON `kyc_relay_recoveries` (`created_at`,`recovery_id`) WHERE state = 'RUNNING';
CREATE INDEX `kyc_relay_recoveries_of_endpoint` ON `kyc_relay_recoveries` (`endpoint`);
CREATE UNIQUE INDEX `kyc_relay_recoveries_running` ON `kyc_relay_recoveries` (`endpoint`) WHERE state = 'RUNNING';
CREATE INDEX `kyc_relay_revoked_grants_of_user` ON `kyc_relay_revoked_grants` (`user_id`);
CREATE UNIQUE INDEX `kyc_relay_transaction_moves_by_revision` ON `kyc_relay_transaction_moves` (`transaction_id`,`revision`);
CREATE INDEX `kyc_relay_transactions_of_user` ON `kyc_relay_transactions` (`user_id`,`app_id`);
CREATE INDEX `kyc_relay_transactions_with_fields` ON `kyc_relay_transactions` (`moved_at`) WHERE fields IS NOT NULL;
CREATE INDEX `kyc_relay_user_retention_closed` ON `kyc_relay_user_retention` (`closed_at`,`user_id`) WHERE closed_at IS NOT NULL;
CREATE INDEX `kyc_relay_user_retention_held` ON `kyc_relay_user_retention` (`user_id`) WHERE held_at IS NOT NULL;
CREATE INDEX `kyc_relay_vault_audit_entries_of_erased` ON `kyc_relay_vault_audit_entries` (`app_id`,`user_id`) WHERE kind = 'OWNER_ERASED';
CREATE UNIQUE INDEX `kyc_relay_vault_audit_entries_of_row` ON `kyc_relay_vault_audit_entries` (`subject`) WHERE kind = 'VALUE_REVEALED';
CREATE INDEX `kyc_relay_vault_audit_of_owner` ON `kyc_relay_vault_audit` (`app_id`,`user_id`,`position`);
CREATE INDEX `kyc_relay_vault_data_keys_by_key` ON `kyc_relay_vault_data_keys` (`key_id`,`position`);
CREATE UNIQUE INDEX `kyc_relay_vault_data_keys_of_owner` ON `kyc_relay_vault_data_keys` (`app_id`,`user_id`);
CREATE INDEX `kyc_relay_vault_tokens_by_age` ON `kyc_relay_vault_tokens` (`created_at`,`position`);
CREATE UNIQUE INDEX `kyc_relay_vault_tokens_by_token` ON `kyc_relay_vault_tokens` (`token`);
CREATE INDEX `kyc_relay_vault_tokens_in_quarantine` ON `kyc_relay_vault_tokens` (`quarantined_at`,`position`) WHERE quarantined_at IS NOT NULL;
CREATE INDEX `kyc_relay_vault_tokens_of_data_key` ON `kyc_relay_vault_tokens` (`data_key`);
CREATE INDEX `kyc_relay_verifications_by_document_number_token` ON `kyc_relay_verifications` (`document_number_token`) WHERE document_number_token IS NOT NULL;
CREATE UNIQUE INDEX `kyc_relay_verifications_by_external_id` ON `kyc_relay_verifications` (`app_id`,`external_verification_id`);
CREATE UNIQUE INDEX `kyc_relay_verifications_by_id` ON `kyc_relay_verifications` (`verification_id`);
CREATE INDEX `kyc_relay_verifications_by_ssn_token` ON `kyc_relay_verifications` (`ssn_token`) WHERE ssn_token IS NOT NULL;
CREATE INDEX `kyc_relay_verifications_of_app` ON `kyc_relay_verifications` (`app_id`,`verification_id`);
CREATE INDEX `kyc_relay_verifications_of_app_by_result` ON `kyc_relay_verifications` (`app_id`,`result_status`,`verification_id`);
CREATE INDEX `kyc_relay_verifications_of_user` ON `kyc_relay_verifications` (`user_id`,`app_id`,`position`);
INSERT INTO "kyc_relay_api_keys" ("app_id","version","hash","sealed","created_at","signs_from","retired_at","issued_reason","revoked_reason") VALUES ('a172cedc-ae47-774b-815c-54d510a5d84a',1,X'0101010101010101010101010101010101010101010101010101010101010101',X'7365616C6564',1767323045678,1767323045678,NULL,NULL,NULL);
INSERT INTO "kyc_relay_apps" ("app_id","name") VALUES ('a172cedc-ae47-774b-815c-54d510a5d84a','Example');
INSERT INTO "kyc_relay_attempts" ("delivery","number","state","started_at","ended_at","report","response_body") VALUES (1,1,'SUCCEEDED',1767323045678,1767323045678,'{"cause":"HTTP_STATUS","status":500,"address":"192.0.2.1","timings":{"dnsMs":1,"connectMs":2,"tlsMs":3,"firstByteMs":4,"totalMs":5},"responseHeaders":{"content-type":"text/plain"},"keyVersion":1}',X'6F7574206F66206F72646572');
INSERT INTO "kyc_relay_attempts" ("delivery","number","state","started_at","ended_at","report","response_body") VALUES (2,1,'FAILED',1767323045678,1767323045678,'{"cause":"HTTP_STATUS","status":500,"address":"192.0.2.1","timings":{"dnsMs":1,"connectMs":2,"tlsMs":3,"firstByteMs":4,"totalMs":5},"responseHeaders":{"content-type":"text/plain"},"keyVersion":1}',X'6F7574206F66206F72646572');
INSERT INTO "kyc_relay_attempts" ("delivery","number","state","started_at","ended_at","report","response_body") VALUES (3,1,'STARTED',1767323045678,NULL,NULL,NULL);
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (1,'CHAIN_STARTED',1767323045678,NULL,NULL,'0',NULL,NULL,X'1B16B1DF538BA12DC3F97EDBB85CAA7050D46C148134290FEBA80F8236C83DB9','audit-1',X'0000000000000000000000000000000000000000000000000000000000000000',X'A2D577DB59ABCD08F0381B17E0B1B972442B27616993E71986F65A48722D31C1');
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (2,'APP_CREATED',1767323045678,'a172cedc-ae47-774b-815c-54d510a5d84a',NULL,'a172cedc-ae47-774b-815c-54d510a5d84a',NULL,NULL,X'01C2C3305CDDB71150CA79ECAA53D8F6A762329BA8C35ED8916B85230CE7499D','audit-1',X'A2D577DB59ABCD08F0381B17E0B1B972442B27616993E71986F65A48722D31C1',X'DCB6D9541D5BA2CE971AD102AA359F9F94B434CCD0D785AB18ADDD7F6B8A815F');
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (3,'API_KEY_ADDED',1767323045678,'a172cedc-ae47-774b-815c-54d510a5d84a',NULL,'1',NULL,NULL,X'2B4570DFDB528680E113A46936D382B831AE36F7AA8F3A34EEFD5F24F4DD8AD8','audit-1',X'DCB6D9541D5BA2CE971AD102AA359F9F94B434CCD0D785AB18ADDD7F6B8A815F',X'7F7DDD52C07F9FF1B58559491BB53A8D22452CA51FD19FB046401EF72685A7A8');
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (4,'GRANT_GIVEN',1767323045678,'a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','VERIFY_KYC',NULL,NULL,X'915FF652295D2BA25512E431AE502C233D62CE32C4EAE9D9E16F5E3903E6E221','audit-1',X'7F7DDD52C07F9FF1B58559491BB53A8D22452CA51FD19FB046401EF72685A7A8',X'007DFC967B1BD82E2F6BA7CBAD023FD49680F5F05F359B54383F39EBA0D972F3');
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (5,'VERIFICATION_RECORDED',1772323200000,'a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','b435862c-8003-4e06-9274-d00aa28fe434',NULL,NULL,X'946E43EE51D9D04EC17D0CAFDF898CBC51939CDBEF9A818201C6DF02D45E94D5','audit-1',X'007DFC967B1BD82E2F6BA7CBAD023FD49680F5F05F359B54383F39EBA0D972F3',X'AB898F4A2A89D1D2956855A040794F1F2A7BD6FD565351F6E4AD557C01F132B8');
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (6,'ENDPOINT_REGISTERED',1767323045678,'a172cedc-ae47-774b-815c-54d510a5d84a',NULL,'cb849d78-a725-7fea-84fe-084f3bde2b9d',NULL,NULL,X'1E58ECB7D2F2070F44B25D832F520A933795F24A9CD4199DA88045E95842B36E','audit-1',X'AB898F4A2A89D1D2956855A040794F1F2A7BD6FD565351F6E4AD557C01F132B8',X'FD3FA19553B3927CA8D95A4AE64645AE3983D199E9361BAB39B44E779AC2A0B1');
INSERT INTO "kyc_relay_commit_count" ("number") VALUES (12);
INSERT INTO "kyc_relay_deliveries" ("position","delivery_id","event","endpoint","x_event_id","app_id","user_id","event_type","class","state","attempts_made","created_at","due_at","lease_token","lease_until","unsent_since","ended_at","cancel_reason","cancel_requested","resend_of","http_status","latency_ms") VALUES (1,'522cd16e-03ea-78c1-8527-3a2b68b64b48',1,1,'5113bce9-d55e-77aa-8cdf-f698527a8a17','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1,'DELIVERED',1,1767323045678,NULL,NULL,NULL,NULL,1767323045678,NULL,NULL,NULL,500,5.0);
INSERT INTO "kyc_relay_deliveries" ("position","delivery_id","event","endpoint","x_event_id","app_id","user_id","event_type","class","state","attempts_made","created_at","due_at","lease_token","lease_until","unsent_since","ended_at","cancel_reason","cancel_requested","resend_of","http_status","latency_ms") VALUES (2,'906674f1-8fd5-7f76-8152-f7a28f49e033',2,1,'e1ae8b31-0106-791e-8dad-ea69ec339363','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1,'PENDING',1,1767323045678,1767323645678,NULL,NULL,NULL,NULL,NULL,NULL,NULL,500,5.0);
INSERT INTO "kyc_relay_deliveries" ("position","delivery_id","event","endpoint","x_event_id","app_id","user_id","event_type","class","state","attempts_made","created_at","due_at","lease_token","lease_until","unsent_since","ended_at","cancel_reason","cancel_requested","resend_of","http_status","latency_ms") VALUES (3,'37c2f199-2a91-7ad7-893c-10e1d7c5ffa5',3,1,'a0a8bb03-27e3-7716-8cf8-934cb8800b71','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1,'PENDING',1,1767323045678,NULL,'564de6aa-75c8-4b06-a682-4f065237cd36',1767323090678,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "kyc_relay_endpoint_hours" ("endpoint","hour","cause","attempts","first_attempts","failed_deliveries") VALUES (1,1767322800000,'',1,1,0);
INSERT INTO "kyc_relay_endpoint_hours" ("endpoint","hour","cause","attempts","first_attempts","failed_deliveries") VALUES (1,1767322800000,'HTTP_STATUS',1,1,0);
INSERT INTO "kyc_relay_endpoint_schedules" ("endpoint","in_flight","failing","failing_since","last_success_at","paused","last_claimed_at","next_due_at") VALUES (1,1,1,1767323045678,1767323045678,0,1767323045678,1767323645678);
INSERT INTO "kyc_relay_endpoints" ("position","endpoint_id","app_id","url","lineage_id","description","event_types","headers","standard_webhooks","paused_by","created_at","removed_at") VALUES (1,'cb849d78-a725-7fea-84fe-084f3bde2b9d','a172cedc-ae47-774b-815c-54d510a5d84a','https://a.example.com/hooks','cb849d78-a725-7fea-84fe-084f3bde2b9d',NULL,NULL,NULL,0,NULL,1767323045678,NULL);
INSERT INTO "kyc_relay_events" ("position","event_id","app_id","user_id","type","occurred_at","body","test","source_event_id","withheld","created_at","trace_context") VALUES (1,'a40185f4-fb65-7823-8df1-61bceb6720e2','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1767323045678,X'7B226E616D65223A2264656C697665726564227D',0,'source delivered',NULL,1767323045678,NULL);
INSERT INTO "kyc_relay_events" ("position","event_id","app_id","user_id","type","occurred_at","body","test","source_event_id","withheld","created_at","trace_context") VALUES (2,'c915c371-f3cd-7fe7-85ff-854979ed4146','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1767323045678,X'7B226E616D65223A2272657472696564227D',0,'source retried',NULL,1767323045678,NULL);
INSERT INTO "kyc_relay_events" ("position","event_id","app_id","user_id","type","occurred_at","body","test","source_event_id","withheld","created_at","trace_context") VALUES (3,'737ed9df-b292-7637-8802-d52b9b2b2432','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1767323045678,X'7B226E616D65223A22696E20666C69676874227D',0,NULL,NULL,1767323045678,NULL);
INSERT INTO "kyc_relay_grants" ("app_id","user_id","account_id","external_reference_id","scopes") VALUES ('a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','9af21132-9b2f-782e-8efe-906062c73008','ref','["VERIFY_KYC"]');
INSERT INTO "kyc_relay_migrations" ("number","name","sha256","schema_sha256","applied_at") VALUES (1,'0001_create_tables','f4627ea0269f0cec9f5f0691c79ea2cf6d96787aa0f336a02d1ed1ca2827cc49','ae669b6ad6f17df03f0b87f086fead4216b21548d12692dc816950789f8526d1',1767323045678);
INSERT INTO "kyc_relay_receiver_events" ("event_id","fence","state","at") VALUES ('94f27031-fad0-71fc-875f-856eccc680d5',1,'COMPLETED',1767323045678);
INSERT INTO "kyc_relay_receiver_events" ("event_id","fence","state","at") VALUES ('edce70cc-a8ad-7701-8605-7cedb37be4cc',1,'CLAIMED',1767323105678);
INSERT INTO "kyc_relay_receiver_migrations" ("number","name","sha256","schema_sha256","applied_at") VALUES (1,'0001_create_tables','6f507bd18a794b3b0f3d5b4d7be00ad5d854cd2a36b2977f86f401140b21f586','bbd1522a1004f0f687f40987737b6f23ea1880132eaca17a0d4b960d59d6420c',1767323045678);
INSERT INTO "kyc_relay_vault_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (1,'CHAIN_STARTED',1767323045678,NULL,NULL,'0',NULL,NULL,X'1B16B1DF538BA12DC3F97EDBB85CAA7050D46C148134290FEBA80F8236C83DB9','audit-1',X'0000000000000000000000000000000000000000000000000000000000000000',X'32478E448EDF1B8BDA27162BE2EA20F92A314685C3DD70245D9C02ACD7C4F9B2');
INSERT INTO "kyc_relay_vault_commit_count" ("number") VALUES (1);
INSERT INTO "kyc_relay_vault_data_keys" ("position","app_id","user_id","key_id","wrapped","created_at") VALUES (1,'a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','seal-1',X'01067365616C2D31C68E04EE065C18CE50AE5E7329A14C9744285ADAC83438185C36C19CC00CEDC565C1FD38D6EC6303283E32395EFDD76D584AF4E19A0985BC01695202',1767323045678);
INSERT INTO "kyc_relay_vault_migrations" ("number","name","sha256","schema_sha256","applied_at") VALUES (1,'0001_create_tables','ff1ef9cbd9f2be41e35703b8fde41499c37dd009f9d26199b81311446c70d1db','23030fb153ea2f6aa7767b44c1be38824a2ccf098e5434c48b1c30b61eaa484e',1767323045678);
INSERT INTO "kyc_relay_vault_tokens" ("position","token","app_id","user_id","field","fingerprint","sealed","created_at","data_key","quarantined_at") VALUES (1,'tok_ssn_0V76xOIAPtc6MQykwwilMENTr7CdWdzYvi_1120','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','ssn',X'5D61DA8F1A9A5E9C884CFD352EFEF48BFC675725C3E5337E7D2A43CBE3F53DBB',X'01046461746171F0AC3FC4021FF1129E388CDA96F1EA38EFB0E673F3AC7E79F683AB16C77F20171FAD3CF5',1767323045678,1,NULL);
INSERT INTO "kyc_relay_vault_tokens" ("position","token","app_id","user_id","field","fingerprint","sealed","created_at","data_key","quarantined_at") VALUES (2,'tok_document_number_0V76xOIAgrdbHK5WQGhpaZ9ItfOK7IORWI','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','document_number',X'BF03BD938FD48CA4739341877A7B415D95B5935406EB6DDD29CFCAD45052389D',NULL,1767323045678,1,NULL);
INSERT INTO "kyc_relay_verifications" ("position","verification_id","app_id","user_id","external_verification_id","external_verification_provider","schema_version","decision","decisioned_at","recorded_at","country_code","result_status","result_message","payload_digest","ssn_token","ssn_state","document_number_token","previous_status","next_status","status_at","sections","checks","decline_codes","sealed_details","erasable_key","erasable_mac") VALUES (1,'b435862c-8003-4e06-9274-d00aa28fe434','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','attempt-0001','CUSTOM','1.0','PASSED',1767607200000,1772323200000,'US','VERIFIED','The verification was recorded and the KYC status of the user was set.',X'3CFC1C92AA14DB61DF7B028A22C75030AC22C6F4B0BE6C493E50812DB67AC936','tok_ssn_0V76xOIAPtc6MQykwwilMENTr7CdWdzYvi_1120','VALIDATED','tok_document_number_0V76xOIAgrdbHK5WQGhpaZ9ItfOK7IORWI','UNVERIFIED','PASS',1772323200000,'[{"section":"document","verificationId":"doc-0001","status":"PASSED"},{"section":"ssn","verificationId":"ssn-0001","status":"PASSED"}]','[{"section":"document","name":"document_authenticity","status":"PASSED"},{"section":"document","name":"face_match","status":"PASSED"},{"section":"document","name":"nfc_chip","status":"NOT_APPLICABLE"}]','[]',X'0104646174613DA021B96311BC0665663C2CAA32C4D3114FE5FD4495848F0737C6F6E2166DDD75B59B89D2C97D8D9659B7E6D79101AF47CA75FA224C488D198B51B2CA4EAA16ED667690E68B01CB0E755049869CB278B616F93FA41639F3A0A88FE50BC5EBAB57D6A7AF82206CE72F7E4A37BE82C825ED8475044CA0096267BD30A7AAEC09B6E4FBAD99692F38226F296ABCF5DE61F97AAFF692CA228ECBCE98C2C37CD33A435827F8B25B89BF306DEF0254C0CB79D7D3BEA4ED47FA8B1601FD4CF1AC995B6613DD7BD539654FB3CA5E5833055BF68A10AF1B854DFE3FDF9D10BC9270AB195FD29F9CBC5A0C7ECA0702D7B987A30AFD82F8D2D715630DC1E42178D5030417D7834253F67D6305F6EDBAD72C425ECADDC885DC5AFDAAA5CE6CE177E02C0808D9CFE00BC4CDFF9148C7D72B5582AAF46E020C37428FEC23BAB8909E2A02D601177E3529700A069AE1C0A04F8704CED795DFE3674BDB31A58281753D2A74C0103163DE0FBCBD0FC5DDA81777FB6C26F55E00291A5A4FD74EC3B6E2D851E0A5E8B58C943C8AF512A8E119D9BFA87241DA07F7CB9406443A29D128B6AA67F4D08A070C822BD347B96952E9A102F6E4143E746569C7FC9EABE958D4E00349B3FC8D6EA86126A5353E715E33698FBC89D43152334593A5CE819CE6EC50570B93C20428768BDB6E9FEC001DC8C6F8C10CA3489E4FDAA459DFB6988484F486CE281914B06613BA4F60FFB14020FDF54DE4A263BD67FE461B31B733EA5D842F2BCED06CB3125ADDA6E69CCA4AB767D90FA11C4EDC47FFAFB693A87690B01BD8281203603904CE96EC375268DCBBCF7AA8059EB50F56E7884FDE8FE75BAE1EE0CDF227D279679FEE9E1DF45FB5C2015784FAC5CBA101AD88ECB651A88E199342394063A8AEB88CC8C24919FE0C0D91FB11A12CC238AFBA117D575C7FDD3D51679CE28B65852433CFAE360759B0E445845CFC2133459FBB97B9D9C9BE87A0740B7F610E6CDB53A3A6F33A9205D2F3C42053AC496E34456357657F05C48870BD36C89A1FDF9619DC354AC2E027B616A49D373776FF63C1030D3EAC1EC6B0CAE7DC8A2B26906BED4CA013A828D6FF8A9BD0114139D54477A6F2AEC264EF5CB4743A6C64D3CB1923E108D66936808BE653F76E16D36C389D90E85CA45500163BB80FC8735273F512A29D53B6437D98FA9D136D1B84C0D89AC70E46C1D26219B88EE271A9FAF9EC189EC2ADDA2CD0B1B8F6C23FD8CC9589EBA4A642ABE999AD89DA60222E47F62E6A05CF2571B01FEC7DADDD1F546FC68DFB69F1DF5D470A40E5DF12330CB2A5E46DA8CE0DDE1FC54C05C78B340B40635A5F21B9874891BC54',X'CE8AF4FEE6346C351E365BA774A827D458F383EFED13062145EC8F38E1EC0E41',X'7D2C3532669C85A23871A81D508E3A4CECCE8BAB8320DF2D35D3970DC102860C');
