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
CREATE TABLE `kyc_relay_decline_codes` (
	`verification` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`code` text NOT NULL,
	PRIMARY KEY(`verification`, `ordinal`),
	FOREIGN KEY (`verification`) REFERENCES `kyc_relay_verifications`(`position`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
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
	`unpublished` integer DEFAULT 0 NOT NULL,
	CONSTRAINT "kyc_relay_kyc_status_corrections_previous_check" CHECK(previous IN ('UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL')),
	CONSTRAINT "kyc_relay_kyc_status_corrections_next_check" CHECK(next IN ('UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL')),
	CONSTRAINT "kyc_relay_kyc_status_corrections_unpublished_check" CHECK(unpublished IN (0, 1))
) STRICT;
CREATE TABLE `kyc_relay_kyc_status_log` (
	`verification` integer PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`previous` text NOT NULL,
	`next` text NOT NULL,
	`at` integer NOT NULL,
	`unpublished` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`verification`) REFERENCES `kyc_relay_verifications`(`position`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "kyc_relay_kyc_status_log_previous_check" CHECK(previous IN ('UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL')),
	CONSTRAINT "kyc_relay_kyc_status_log_next_check" CHECK(next IN ('UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL')),
	CONSTRAINT "kyc_relay_kyc_status_log_unpublished_check" CHECK(unpublished IN (0, 1))
) STRICT;
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
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
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
CREATE TABLE `kyc_relay_verification_checks` (
	`verification` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`section` text NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL,
	PRIMARY KEY(`verification`, `ordinal`),
	FOREIGN KEY (`verification`) REFERENCES `kyc_relay_verifications`(`position`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "kyc_relay_verification_checks_section_check" CHECK(section IN ('document', 'ssn', 'database')),
	CONSTRAINT "kyc_relay_verification_checks_status_check" CHECK(status IN ('PASSED', 'FAILED', 'NOT_APPLICABLE'))
) STRICT, WITHOUT ROWID;
CREATE TABLE `kyc_relay_verification_sections` (
	`verification` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`section` text NOT NULL,
	`provider_verification_id` text NOT NULL,
	`status` text NOT NULL,
	PRIMARY KEY(`verification`, `ordinal`),
	FOREIGN KEY (`verification`) REFERENCES `kyc_relay_verifications`(`position`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "kyc_relay_verification_sections_section_check" CHECK(section IN ('document', 'ssn', 'database')),
	CONSTRAINT "kyc_relay_verification_sections_status_check" CHECK(status IN ('PASSED', 'FAILED'))
) STRICT, WITHOUT ROWID;
CREATE TABLE `kyc_relay_verifications` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
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
	`ssn_standing` text,
	`document_number_token` text,
	`sealed_details` blob NOT NULL,
	`erasable_key` blob,
	`erasable_mac` blob NOT NULL,
	CONSTRAINT "kyc_relay_verifications_decision_check" CHECK(decision IN ('PASSED', 'FAILED')),
	CONSTRAINT "kyc_relay_verifications_result_status_check" CHECK(result_status IN ('VERIFIED', 'ALREADY_VERIFIED', 'DECLINED')),
	CONSTRAINT "kyc_relay_verifications_ssn_standing_check" CHECK(ssn_standing IN ('COLLECTED', 'VALIDATED')),
	CONSTRAINT "kyc_relay_verifications_ssn_check" CHECK(ssn_token IS NULL OR ssn_standing IS NOT NULL)
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
CREATE INDEX `kyc_relay_kyc_status_corrections_unpublished` ON `kyc_relay_kyc_status_corrections` (`at`) WHERE unpublished = 1;
CREATE INDEX `kyc_relay_kyc_status_log_unpublished` ON `kyc_relay_kyc_status_log` (`at`) WHERE unpublished = 1;
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
CREATE INDEX `kyc_relay_verifications_of_user` ON `kyc_relay_verifications` (`user_id`,`app_id`,`position`);
INSERT INTO "kyc_relay_api_keys" ("app_id","version","hash","sealed","created_at","signs_from","retired_at","issued_reason","revoked_reason") VALUES ('a172cedc-ae47-774b-815c-54d510a5d84a',1,X'0101010101010101010101010101010101010101010101010101010101010101',X'7365616C6564',1767323045678,1767323045678,NULL,NULL,NULL);
INSERT INTO "kyc_relay_apps" ("app_id","name") VALUES ('a172cedc-ae47-774b-815c-54d510a5d84a','Example');
INSERT INTO "kyc_relay_attempts" ("delivery","number","state","started_at","ended_at","report","response_body") VALUES (1,1,'SUCCEEDED',1767323045678,1767323045678,'{"cause":"HTTP_STATUS","status":500,"address":"192.0.2.1","timings":{"dnsMs":1,"connectMs":2,"tlsMs":3,"firstByteMs":4,"totalMs":5},"responseHeaders":{"content-type":"text/plain"},"keyVersion":1}',X'6F7574206F66206F72646572');
INSERT INTO "kyc_relay_attempts" ("delivery","number","state","started_at","ended_at","report","response_body") VALUES (2,1,'FAILED',1767323045678,1767323045678,'{"cause":"HTTP_STATUS","status":500,"address":"192.0.2.1","timings":{"dnsMs":1,"connectMs":2,"tlsMs":3,"firstByteMs":4,"totalMs":5},"responseHeaders":{"content-type":"text/plain"},"keyVersion":1}',X'6F7574206F66206F72646572');
INSERT INTO "kyc_relay_attempts" ("delivery","number","state","started_at","ended_at","report","response_body") VALUES (3,1,'STARTED',1767323045678,NULL,NULL,NULL);
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (1,'CHAIN_STARTED',1767323045678,NULL,NULL,'0',NULL,NULL,X'1B16B1DF538BA12DC3F97EDBB85CAA7050D46C148134290FEBA80F8236C83DB9','audit-1',X'0000000000000000000000000000000000000000000000000000000000000000',X'A2D577DB59ABCD08F0381B17E0B1B972442B27616993E71986F65A48722D31C1');
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (2,'API_KEY_ADDED',1767323045678,'a172cedc-ae47-774b-815c-54d510a5d84a',NULL,'1',NULL,NULL,X'D46B2E590885B7905E8DD31B2DE3555DF1DBC8E1A7ED68D38E40FDE02681BAE4','audit-1',X'A2D577DB59ABCD08F0381B17E0B1B972442B27616993E71986F65A48722D31C1',X'7F58BE171F724BABCC504A1625D4A1BA4A8D849B285C65CCDA2B0AB6F2BE821A');
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (3,'GRANT_GIVEN',1767323045678,'a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','VERIFY_KYC',NULL,NULL,X'915FF652295D2BA25512E431AE502C233D62CE32C4EAE9D9E16F5E3903E6E221','audit-1',X'7F58BE171F724BABCC504A1625D4A1BA4A8D849B285C65CCDA2B0AB6F2BE821A',X'AE113BB3D944F86B2F46F7B76F7BF0C66D89207F99851E2BB98BBDB2350E743C');
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (4,'VERIFICATION_RECORDED',1772323200000,'a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','b033be00-5f00-44ba-a715-32d15e01a17f',NULL,NULL,X'10ECF9B32BC4EEEEAE7E0E666F5969E2DD06063858B4902B4B9B5417C4650B35','audit-1',X'AE113BB3D944F86B2F46F7B76F7BF0C66D89207F99851E2BB98BBDB2350E743C',X'297F06F2D56F37D14E841F8C083A40A3CABD7C6BD81BAB3208557C136DE9473A');
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (5,'ENDPOINT_REGISTERED',1767323045678,'a172cedc-ae47-774b-815c-54d510a5d84a',NULL,'cb849d78-a725-7fea-84fe-084f3bde2b9d',NULL,NULL,X'A42CF87E8A437495B03EA1F766C4ED519F75CC7552E0F969B76F5F0238E3A390','audit-1',X'297F06F2D56F37D14E841F8C083A40A3CABD7C6BD81BAB3208557C136DE9473A',X'61A25A3D78E69BBB8FDDDE64DB14064A39B580B556C4F1D7F419861BDE3F9934');
INSERT INTO "kyc_relay_commit_count" ("number") VALUES (12);
INSERT INTO "kyc_relay_deliveries" ("position","delivery_id","event","endpoint","x_event_id","app_id","user_id","event_type","class","state","attempts_made","created_at","due_at","lease_token","lease_until","unsent_since","ended_at","cancel_reason","cancel_requested","resend_of","http_status","latency_ms") VALUES (1,'522cd16e-03ea-78c1-8527-3a2b68b64b48',1,1,'5113bce9-d55e-77aa-8cdf-f698527a8a17','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1,'DELIVERED',1,1767323045678,NULL,NULL,NULL,NULL,1767323045678,NULL,NULL,NULL,500,5.0);
INSERT INTO "kyc_relay_deliveries" ("position","delivery_id","event","endpoint","x_event_id","app_id","user_id","event_type","class","state","attempts_made","created_at","due_at","lease_token","lease_until","unsent_since","ended_at","cancel_reason","cancel_requested","resend_of","http_status","latency_ms") VALUES (2,'906674f1-8fd5-7f76-8152-f7a28f49e033',2,1,'e1ae8b31-0106-791e-8dad-ea69ec339363','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1,'PENDING',1,1767323045678,1767323645678,NULL,NULL,NULL,NULL,NULL,NULL,NULL,500,5.0);
INSERT INTO "kyc_relay_deliveries" ("position","delivery_id","event","endpoint","x_event_id","app_id","user_id","event_type","class","state","attempts_made","created_at","due_at","lease_token","lease_until","unsent_since","ended_at","cancel_reason","cancel_requested","resend_of","http_status","latency_ms") VALUES (3,'37c2f199-2a91-7ad7-893c-10e1d7c5ffa5',3,1,'a0a8bb03-27e3-7716-8cf8-934cb8800b71','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1,'PENDING',1,1767323045678,NULL,'06619d9e-a04f-4c79-81eb-6b638b9a6fc7',1767323090678,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "kyc_relay_endpoint_hours" ("endpoint","hour","cause","attempts","first_attempts","failed_deliveries") VALUES (1,1767322800000,'',1,1,0);
INSERT INTO "kyc_relay_endpoint_hours" ("endpoint","hour","cause","attempts","first_attempts","failed_deliveries") VALUES (1,1767322800000,'HTTP_STATUS',1,1,0);
INSERT INTO "kyc_relay_endpoint_schedules" ("endpoint","in_flight","failing","failing_since","paused","last_claimed_at","next_due_at") VALUES (1,1,1,1767323045678,0,1767323045678,1767323645678);
INSERT INTO "kyc_relay_endpoints" ("position","endpoint_id","app_id","url","lineage_id","description","event_types","headers","standard_webhooks","paused_by","created_at","removed_at") VALUES (1,'cb849d78-a725-7fea-84fe-084f3bde2b9d','a172cedc-ae47-774b-815c-54d510a5d84a','https://a.example.com/hooks','cb849d78-a725-7fea-84fe-084f3bde2b9d',NULL,NULL,NULL,0,NULL,1767323045678,NULL);
INSERT INTO "kyc_relay_events" ("position","event_id","app_id","user_id","type","occurred_at","body","test","source_event_id","withheld","created_at","trace_context") VALUES (1,'a40185f4-fb65-7823-8df1-61bceb6720e2','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1767323045678,X'7B226E616D65223A2264656C697665726564227D',0,'source delivered',NULL,1767323045678,NULL);
INSERT INTO "kyc_relay_events" ("position","event_id","app_id","user_id","type","occurred_at","body","test","source_event_id","withheld","created_at","trace_context") VALUES (2,'c915c371-f3cd-7fe7-85ff-854979ed4146','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1767323045678,X'7B226E616D65223A2272657472696564227D',0,'source retried',NULL,1767323045678,NULL);
INSERT INTO "kyc_relay_events" ("position","event_id","app_id","user_id","type","occurred_at","body","test","source_event_id","withheld","created_at","trace_context") VALUES (3,'737ed9df-b292-7637-8802-d52b9b2b2432','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1767323045678,X'7B226E616D65223A22696E20666C69676874227D',0,NULL,NULL,1767323045678,NULL);
INSERT INTO "kyc_relay_grants" ("app_id","user_id","account_id","external_reference_id","scopes") VALUES ('a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','9af21132-9b2f-782e-8efe-906062c73008','ref','["VERIFY_KYC"]');
INSERT INTO "kyc_relay_kyc_status_log" ("verification","user_id","previous","next","at","unpublished") VALUES (1,'04f8996d-a763-77a9-89b1-028ee3007569','UNVERIFIED','PASS',1772323200000,0);
INSERT INTO "kyc_relay_migrations" ("number","name","sha256","schema_sha256","applied_at") VALUES (1,'0001_create_tables','180e8aa0681f69acd8c002b9e2bc9d93a4c932e234e9b13921720834ae6adc12','a56cdaa5d4bc716e12ec71e0f782ea39b87ad80678c0a90e9ce50c68f73af7c3',1767323045678);
INSERT INTO "kyc_relay_receiver_events" ("event_id","fence","state","at") VALUES ('94f27031-fad0-71fc-875f-856eccc680d5',1,'COMPLETED',1767323045678);
INSERT INTO "kyc_relay_receiver_events" ("event_id","fence","state","at") VALUES ('edce70cc-a8ad-7701-8605-7cedb37be4cc',1,'CLAIMED',1767323105678);
INSERT INTO "kyc_relay_receiver_migrations" ("number","name","sha256","schema_sha256","applied_at") VALUES (1,'0001_create_tables','6f507bd18a794b3b0f3d5b4d7be00ad5d854cd2a36b2977f86f401140b21f586','bbd1522a1004f0f687f40987737b6f23ea1880132eaca17a0d4b960d59d6420c',1767323045678);
INSERT INTO "kyc_relay_vault_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (1,'CHAIN_STARTED',1767323045678,NULL,NULL,'0',NULL,NULL,X'1B16B1DF538BA12DC3F97EDBB85CAA7050D46C148134290FEBA80F8236C83DB9','audit-1',X'0000000000000000000000000000000000000000000000000000000000000000',X'32478E448EDF1B8BDA27162BE2EA20F92A314685C3DD70245D9C02ACD7C4F9B2');
INSERT INTO "kyc_relay_vault_commit_count" ("number") VALUES (1);
INSERT INTO "kyc_relay_vault_data_keys" ("position","app_id","user_id","key_id","wrapped","created_at") VALUES (1,'a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','seal-1',X'01067365616C2D3159B56E05152C255EFD0F9757FAC75F0FAD285F6687A9E8C12754367994A201053C73DE8D1AA5235CFD6AFF56AFDD18783F20E899E860B7E73E296858',1767323045678);
INSERT INTO "kyc_relay_vault_migrations" ("number","name","sha256","schema_sha256","applied_at") VALUES (1,'0001_create_tables','25d51cc33a1b67990abc7ed43a25e5ab5ab75a87ea5d2ded2948cc9da2087aa4','43ba3229c1e7ab7d0ce87711c640cedcc720b095ccf385981d220ba8524ed447',1767323045678);
INSERT INTO "kyc_relay_vault_tokens" ("position","token","app_id","user_id","field","fingerprint","sealed","created_at","data_key","quarantined_at") VALUES (1,'tok_ssn_1vbVSPatX4aORafxaySmqZBlSHaKHu36_1120','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','ssn',X'5D61DA8F1A9A5E9C884CFD352EFEF48BFC675725C3E5337E7D2A43CBE3F53DBB',X'010464617461E3FA1F6DCB4FD73FC6D17BF77DD85495CCB2F08984D86B82B4E23360E77EFFE7745D2A276E',1767323045678,1,NULL);
INSERT INTO "kyc_relay_vault_tokens" ("position","token","app_id","user_id","field","fingerprint","sealed","created_at","data_key","quarantined_at") VALUES (2,'tok_document_number_1vbVSPigJBuZx4477uFQni3wcUFKTPnM','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','document_number',X'BF03BD938FD48CA4739341877A7B415D95B5935406EB6DDD29CFCAD45052389D',NULL,1767323045678,1,NULL);
INSERT INTO "kyc_relay_verification_checks" ("verification","ordinal","section","name","status") VALUES (1,0,'document','document_authenticity','PASSED');
INSERT INTO "kyc_relay_verification_checks" ("verification","ordinal","section","name","status") VALUES (1,1,'document','face_match','PASSED');
INSERT INTO "kyc_relay_verification_checks" ("verification","ordinal","section","name","status") VALUES (1,2,'document','nfc_chip','NOT_APPLICABLE');
INSERT INTO "kyc_relay_verification_sections" ("verification","ordinal","section","provider_verification_id","status") VALUES (1,0,'document','doc-0001','PASSED');
INSERT INTO "kyc_relay_verification_sections" ("verification","ordinal","section","provider_verification_id","status") VALUES (1,1,'ssn','ssn-0001','PASSED');
INSERT INTO "kyc_relay_verifications" ("position","verification_id","app_id","user_id","external_verification_id","external_verification_provider","schema_version","decision","decisioned_at","recorded_at","country_code","result_status","result_message","payload_digest","ssn_token","ssn_standing","document_number_token","sealed_details","erasable_key","erasable_mac") VALUES (1,'b033be00-5f00-44ba-a715-32d15e01a17f','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','attempt-0001','CUSTOM','1.0','PASSED',1767607200000,1772323200000,'US','VERIFIED','The verification was recorded and the KYC status of the user was set.',X'3CFC1C92AA14DB61DF7B028A22C75030AC22C6F4B0BE6C493E50812DB67AC936','tok_ssn_1vbVSPatX4aORafxaySmqZBlSHaKHu36_1120','VALIDATED','tok_document_number_1vbVSPigJBuZx4477uFQni3wcUFKTPnM',X'010464617461AD9153A39D152140B84EFE65BC6017581BF7AEC7F8865FCE4CB93CD586CCE5E70AF96ADAB9957165789BD4786246B705773ECF3ABE52AACA09512FD68F2519EDEBE6BC898971F64BE5DFB2B95ECF158A8B6145B5527DE878819F6327E9F829E1CBABED599652A7B8F338128FEDA46C7B9C2319869989EBCD11FD05244FB993B661C0304CCC146DC24BBE1E0C3A15956BBADA0832D06DBE6269F315F0B4D30B2237922E5FB26C438F93FCD46E2A7D338ECEA19B910607054A47CE1A067756671F08996A66390F6B8331952F8EA8875A95360C4458D0805F3C8CD5464190B8DC38BE5E66F3E2255D60372D7AA3798D66C2F94297620773750E1C8235A2D993B163CD5FD64FF1005D0B9F35DB3D3CF41F57541DA40C8534499BEF54624B5DC45E6D6F9B31F3B495E62CC08BF8561C3002EA38BC8D7924FBE7A714202E0F34B0A4A29D0667CF56C610207EC251DEE8423F4C6446B6E017464EFA6F86756949ADAC3E4A7E8712EFFCF58392D659BB03C56CC74080C7FF9E3C1F9EC0CC92FEADFDCDC461B2439C488343B4501E606E045B7F1D4F65AFD31EF542415F0371F2FC047F49785FBE039A6D39159FD68CA51080689504A71998B55FA6190B022C7D47C24E7FFDDDD193A3A544515315E5E0D690CEA52D324C476848157966A8911E19E4974F5B7B1567E01165A5E96B96B0FAAC0915321A16DEC0711F8C010D595775831D2E7FBE198B297BA90CE534CF017993C919CC396861CD792C07D8458C47FDF9C56CA1B31B6AF7416FED81A36BCC60D79E254EA7FBD9A80BC3F50902C06C68CBEF48FE9BDC1D97DC808BBC77475AAB90F7CCDC68A36052B4DEABCC6B7D1148AD9D69DFAC37FD582BD3BBD362B72BC8E3D2DB75DBB16EEBD7C12A7FEDAAC85E5581298492F7317488271DED3C561411F4FF9814D6A756A753D18678B63A8052B546D91682870648BBC6766FE5814D5ED6EB9269A8630CCCE63CC70C25E13E390CDFCD9FAB82F4AE04922E23F1EB00AD6B4208CEA8297D8623375AC71B547D479B973BC5FFE178C406F49019A71E151E9D1797BE40BF65478C14B7977FF16E714FEB942C4857B58069779470DC1EADAEBD5E307377026B2CCDF8B4EEF2F5B1033EA33627FE3AD795F0B7B65D07E9E941B60318A2EEC963B199F88232A6F6171A92CE5CBB48E8A2B94E83B43E8C548F7756155ED4AB8641F5891F4A6A0CBD443B34CBA3EBB767679FEB8449E15AAF1DE587C79CE6EEEF8DC68F5985233EB832F603D8D780D2F3552C57836D0D839D3E8E1F3C9626E6C41EC582054F2F62917B2D4B8870CF111DFE916E270A158895E994B80953CFDF6A2FEFC42BC6',X'CA5C901AD47A50B293AA728E9BAAC6BD6F5F39546D0C72C40A76AB93344D73AE',X'64ACCC0FEB55296AF84D9F6F9A29A8D20E37D5CAB5522B4B56BAB2DE684D34F7');
