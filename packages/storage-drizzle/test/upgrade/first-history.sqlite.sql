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
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (2,'API_KEY_ADDED',1767323045678,'a172cedc-ae47-774b-815c-54d510a5d84a',NULL,'1',NULL,NULL,X'180D8497889F11074E38E1ABA01C596AE45FD9D1F22A14B5B0290BCC2A41385D','audit-1',X'A2D577DB59ABCD08F0381B17E0B1B972442B27616993E71986F65A48722D31C1',X'210A2839CFA20307AD915EF0C38A7BDC22E3F1BD59725D6D4523F9005F233E34');
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (3,'GRANT_GIVEN',1767323045678,'a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','VERIFY_KYC',NULL,NULL,X'915FF652295D2BA25512E431AE502C233D62CE32C4EAE9D9E16F5E3903E6E221','audit-1',X'210A2839CFA20307AD915EF0C38A7BDC22E3F1BD59725D6D4523F9005F233E34',X'644D6ED459FE04396B816860EF51B35DA1D677E34ECE1423807862A229E774F6');
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (4,'VERIFICATION_RECORDED',1772323200000,'a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','081a52f4-df92-4255-bed9-411eb649a25f',NULL,NULL,X'75C432CE15B5C1DCBBB6435DE3D84AF4467AB65FF3E268AC91665F48216B299A','audit-1',X'644D6ED459FE04396B816860EF51B35DA1D677E34ECE1423807862A229E774F6',X'A51586CD324F0F6A3D2A65D019AFF549D0F50E39FE3D01F20830CEA0E19B27B3');
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (5,'ENDPOINT_REGISTERED',1767323045678,'a172cedc-ae47-774b-815c-54d510a5d84a',NULL,'cb849d78-a725-7fea-84fe-084f3bde2b9d',NULL,NULL,X'51E2AB755A327C3D315DEE3DD4D53F7EDE186847508AA1DEE07E70B73043D531','audit-1',X'A51586CD324F0F6A3D2A65D019AFF549D0F50E39FE3D01F20830CEA0E19B27B3',X'6407D4CE7715775D22B64D2B367CB5E92A6DCDB7C5BC6B72AEB1B905F732BC89');
INSERT INTO "kyc_relay_commit_count" ("number") VALUES (12);
INSERT INTO "kyc_relay_deliveries" ("position","delivery_id","event","endpoint","x_event_id","app_id","user_id","event_type","class","state","attempts_made","created_at","due_at","lease_token","lease_until","unsent_since","ended_at","cancel_reason","cancel_requested","resend_of","http_status","latency_ms") VALUES (1,'522cd16e-03ea-78c1-8527-3a2b68b64b48',1,1,'5113bce9-d55e-77aa-8cdf-f698527a8a17','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1,'DELIVERED',1,1767323045678,NULL,NULL,NULL,NULL,1767323045678,NULL,NULL,NULL,500,5.0);
INSERT INTO "kyc_relay_deliveries" ("position","delivery_id","event","endpoint","x_event_id","app_id","user_id","event_type","class","state","attempts_made","created_at","due_at","lease_token","lease_until","unsent_since","ended_at","cancel_reason","cancel_requested","resend_of","http_status","latency_ms") VALUES (2,'906674f1-8fd5-7f76-8152-f7a28f49e033',2,1,'e1ae8b31-0106-791e-8dad-ea69ec339363','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1,'PENDING',1,1767323045678,1767323645678,NULL,NULL,NULL,NULL,NULL,NULL,NULL,500,5.0);
INSERT INTO "kyc_relay_deliveries" ("position","delivery_id","event","endpoint","x_event_id","app_id","user_id","event_type","class","state","attempts_made","created_at","due_at","lease_token","lease_until","unsent_since","ended_at","cancel_reason","cancel_requested","resend_of","http_status","latency_ms") VALUES (3,'37c2f199-2a91-7ad7-893c-10e1d7c5ffa5',3,1,'a0a8bb03-27e3-7716-8cf8-934cb8800b71','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1,'PENDING',1,1767323045678,NULL,'001e3f27-0f46-4b3e-b96c-9f917456f402',1767323090678,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "kyc_relay_vault_data_keys" ("position","app_id","user_id","key_id","wrapped","created_at") VALUES (1,'a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','seal-1',X'01067365616C2D31F33C0A061990DDEE6DCDC2E650D440F4B3BCCB2840401D49F46804210A1FC331AE814D6CFB14C42BC105792D1E44D75DF2322629FD4FE50B26358514',1767323045678);
INSERT INTO "kyc_relay_vault_migrations" ("number","name","sha256","schema_sha256","applied_at") VALUES (1,'0001_create_tables','25d51cc33a1b67990abc7ed43a25e5ab5ab75a87ea5d2ded2948cc9da2087aa4','43ba3229c1e7ab7d0ce87711c640cedcc720b095ccf385981d220ba8524ed447',1767323045678);
INSERT INTO "kyc_relay_vault_tokens" ("position","token","app_id","user_id","field","fingerprint","sealed","created_at","data_key","quarantined_at") VALUES (1,'tok_ssn_1vbVSPjqN05v6WDCgl31Ro36P0FBzWKj_1120','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','ssn',X'5D61DA8F1A9A5E9C884CFD352EFEF48BFC675725C3E5337E7D2A43CBE3F53DBB',X'010464617461E18B3898E41586D752559F806E3349EC4394F37BB1E8A418B0B6B7A706AA3E375DA87ED761',1767323045678,1,NULL);
INSERT INTO "kyc_relay_vault_tokens" ("position","token","app_id","user_id","field","fingerprint","sealed","created_at","data_key","quarantined_at") VALUES (2,'tok_document_number_1vbVSPV5Z6yjuloilOG0FnV7Hhr5UDiw','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','document_number',X'BF03BD938FD48CA4739341877A7B415D95B5935406EB6DDD29CFCAD45052389D',NULL,1767323045678,1,NULL);
INSERT INTO "kyc_relay_verification_checks" ("verification","ordinal","section","name","status") VALUES (1,0,'document','document_authenticity','PASSED');
INSERT INTO "kyc_relay_verification_checks" ("verification","ordinal","section","name","status") VALUES (1,1,'document','face_match','PASSED');
INSERT INTO "kyc_relay_verification_checks" ("verification","ordinal","section","name","status") VALUES (1,2,'document','nfc_chip','NOT_APPLICABLE');
INSERT INTO "kyc_relay_verification_sections" ("verification","ordinal","section","provider_verification_id","status") VALUES (1,0,'document','doc-0001','PASSED');
INSERT INTO "kyc_relay_verification_sections" ("verification","ordinal","section","provider_verification_id","status") VALUES (1,1,'ssn','ssn-0001','PASSED');
INSERT INTO "kyc_relay_verifications" ("position","verification_id","app_id","user_id","external_verification_id","external_verification_provider","schema_version","decision","decisioned_at","recorded_at","country_code","result_status","result_message","payload_digest","ssn_token","ssn_standing","document_number_token","sealed_details","erasable_key","erasable_mac") VALUES (1,'081a52f4-df92-4255-bed9-411eb649a25f','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','attempt-0001','CUSTOM','1.0','PASSED',1767607200000,1772323200000,'US','VERIFIED','The verification was recorded and the KYC status of the user was set.',X'3CFC1C92AA14DB61DF7B028A22C75030AC22C6F4B0BE6C493E50812DB67AC936','tok_ssn_1vbVSPjqN05v6WDCgl31Ro36P0FBzWKj_1120','VALIDATED','tok_document_number_1vbVSPV5Z6yjuloilOG0FnV7Hhr5UDiw',X'0104646174612D480F5525ADE862F0B38FCD03B72A339925851D8EB9148BC04355A790374C4ABFCA32784D505C9E0FCE9C044C4B78F5DECBDE98E4FCFE1C5E524B1F02CA579F0E384E617C828549BE326E8DDBC42EFAE3FD1FCD87CD1DB0E6557A841DF29667498A6E66B1E6A332EC173144EEF3BCE475276C25692241A9C172952336D8D6DE0E6A07995D27B79128A7CD3035C47BD1C066865DF08F70F464C8AE38F8B37F6E3AB43E450F144E08339949DD8471C67F2F84C64FF23A6222BE4082AD651A6EB7A52E790EAFCF418D5EC277C6B8802C088AD413DD3B36E1AF274A758DF708DE2B415FE83BB5397B0913552943CF266C02AF41B5E833973B20D124FBA55388246A02AEC007DF006260E3D93C8065FF6ECE53E541DD22485C69014C73685B54CB201A0F212A1F087555A07CFF564A9870F65AD84E33EAF1DE7912A3DA195EF843212C2726581B09E1004F59A5964D94972795DAC86C3299397839153BDD04A5EDB9255783FB51275C2633F74BF25687FE89CAA53E39467506B068011C7B2EC9E782614E2C6E0D2F1043A153FA07B44FF60FCA0FAEF0018B2A5D913C685EF71B553B6D263F9D9925BBA21515AE941707FA4501504F6BA03A5F03449A730F691A153756C7C7DEF2849C3220DB69678745C1394CEEB2CEC122FBBD84DE890B90B52E57E952AA592ED2B6628290235BF4B14E4A5AFAECCBA1CC47BDEFBA0DFFC1D74BF6B7C5F3871C6BF3170A955D1808492EC914A51C90F2D8783EDA88875395B9DCFEB9B84BBD72AB2DDA47D305B27190E4AF6F79DB01B1836A4DE809E59A30DE485634CBF367F015EC681CEE83E93A4677F3E36C38295F0C2DE75032E8F66A752D6B0AC19BA192A6C58D64CCF2C74C03F80B0CF0A34E7095488D1A6E5A2ECA8F7DDB637E08192745968E0217E8E002E851E7107820AA300A51010D0922870D23192980DCDA2A8294C99308DA1619FCBC378230EE35F92FD66262B02289915BC9778FFFDA85B35B85340F5A39EF8809BAABDABAF429C0774C4326B1D040F75462B396A503FBD8CFAE547ACE08BB4925C7AFEF4E034C062CD61F4E28980873C4CDDD1FA615BFE0B07538E180FA521F155E358CBC326441D43D145D4F3B6B0FFA3720BF4453CC9C365BE8C662B64F1FC04D8782C48CB512B554D5DD118A412D1F8FAE350B9950032E065009618DE76704DFE683A3F2058B73102C3B43B65F5AB37F528C0B0A6958F2BD9B04B15D0AC99913E4DBC50560E54AA92C111E5703175939FE3FBF33075DBB6DE59D08F10C09A12E8EBE11D24EA91B3DE075A88D93A69C119F1AE26471A4D4E65E4E36C3056119FF53F39CAF09121BC651B4',X'5A8C129968A7AE41FAF52D9C37B268873B102FC4CB297689048FFAF887DAAE25',X'9F64B7FF8F7093BC78D73E5BC168CF67E46ED76B2D1BA49E545848EDBFBDA3EA');
