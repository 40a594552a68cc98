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
	`sealed_details` blob NOT NULL,
	`erasable_key` blob,
	`erasable_mac` blob NOT NULL,
	CONSTRAINT "kyc_relay_verifications_decision_check" CHECK(decision IN ('PASSED', 'FAILED')),
	CONSTRAINT "kyc_relay_verifications_result_status_check" CHECK(result_status IN ('VERIFIED', 'ALREADY_VERIFIED', 'DECLINED')),
	CONSTRAINT "kyc_relay_verifications_ssn_state_check" CHECK(ssn_state IN ('COLLECTED', 'VALIDATED')),
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
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (5,'VERIFICATION_RECORDED',1772323200000,'a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','041daf78-0108-4ed4-87d1-ce08d51ec3d6',NULL,NULL,X'C17A3A5CB227399CEA3799A76E6B210122833925BAD6DF7A771AF10A777A9117','audit-1',X'007DFC967B1BD82E2F6BA7CBAD023FD49680F5F05F359B54383F39EBA0D972F3',X'F9878FB96446599D6F5AED43E2C60192B228CD29DDAF8FA455CB69A3C68A5BC7');
INSERT INTO "kyc_relay_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (6,'ENDPOINT_REGISTERED',1767323045678,'a172cedc-ae47-774b-815c-54d510a5d84a',NULL,'cb849d78-a725-7fea-84fe-084f3bde2b9d',NULL,NULL,X'1E58ECB7D2F2070F44B25D832F520A933795F24A9CD4199DA88045E95842B36E','audit-1',X'F9878FB96446599D6F5AED43E2C60192B228CD29DDAF8FA455CB69A3C68A5BC7',X'D3C4E5BF66A2DA54904FD784C5B5CACC5831EC005393AE3545BFAD5686380C79');
INSERT INTO "kyc_relay_commit_count" ("number") VALUES (12);
INSERT INTO "kyc_relay_deliveries" ("position","delivery_id","event","endpoint","x_event_id","app_id","user_id","event_type","class","state","attempts_made","created_at","due_at","lease_token","lease_until","unsent_since","ended_at","cancel_reason","cancel_requested","resend_of","http_status","latency_ms") VALUES (1,'522cd16e-03ea-78c1-8527-3a2b68b64b48',1,1,'5113bce9-d55e-77aa-8cdf-f698527a8a17','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1,'DELIVERED',1,1767323045678,NULL,NULL,NULL,NULL,1767323045678,NULL,NULL,NULL,500,5.0);
INSERT INTO "kyc_relay_deliveries" ("position","delivery_id","event","endpoint","x_event_id","app_id","user_id","event_type","class","state","attempts_made","created_at","due_at","lease_token","lease_until","unsent_since","ended_at","cancel_reason","cancel_requested","resend_of","http_status","latency_ms") VALUES (2,'906674f1-8fd5-7f76-8152-f7a28f49e033',2,1,'e1ae8b31-0106-791e-8dad-ea69ec339363','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1,'PENDING',1,1767323045678,1767323645678,NULL,NULL,NULL,NULL,NULL,NULL,NULL,500,5.0);
INSERT INTO "kyc_relay_deliveries" ("position","delivery_id","event","endpoint","x_event_id","app_id","user_id","event_type","class","state","attempts_made","created_at","due_at","lease_token","lease_until","unsent_since","ended_at","cancel_reason","cancel_requested","resend_of","http_status","latency_ms") VALUES (3,'37c2f199-2a91-7ad7-893c-10e1d7c5ffa5',3,1,'a0a8bb03-27e3-7716-8cf8-934cb8800b71','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1,'PENDING',1,1767323045678,NULL,'c7f22775-0bd1-40a1-95d2-f277bf4c89a0',1767323090678,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "kyc_relay_endpoint_hours" ("endpoint","hour","cause","attempts","first_attempts","failed_deliveries") VALUES (1,1767322800000,'',1,1,0);
INSERT INTO "kyc_relay_endpoint_hours" ("endpoint","hour","cause","attempts","first_attempts","failed_deliveries") VALUES (1,1767322800000,'HTTP_STATUS',1,1,0);
INSERT INTO "kyc_relay_endpoint_schedules" ("endpoint","in_flight","failing","failing_since","last_success_at","paused","last_claimed_at","next_due_at") VALUES (1,1,1,1767323045678,1767323045678,0,1767323045678,1767323645678);
INSERT INTO "kyc_relay_endpoints" ("position","endpoint_id","app_id","url","lineage_id","description","event_types","headers","standard_webhooks","paused_by","created_at","removed_at") VALUES (1,'cb849d78-a725-7fea-84fe-084f3bde2b9d','a172cedc-ae47-774b-815c-54d510a5d84a','https://a.example.com/hooks','cb849d78-a725-7fea-84fe-084f3bde2b9d',NULL,NULL,NULL,0,NULL,1767323045678,NULL);
INSERT INTO "kyc_relay_events" ("position","event_id","app_id","user_id","type","occurred_at","body","test","source_event_id","withheld","created_at","trace_context") VALUES (1,'a40185f4-fb65-7823-8df1-61bceb6720e2','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1767323045678,X'7B226E616D65223A2264656C697665726564227D',0,'source delivered',NULL,1767323045678,NULL);
INSERT INTO "kyc_relay_events" ("position","event_id","app_id","user_id","type","occurred_at","body","test","source_event_id","withheld","created_at","trace_context") VALUES (2,'c915c371-f3cd-7fe7-85ff-854979ed4146','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1767323045678,X'7B226E616D65223A2272657472696564227D',0,'source retried',NULL,1767323045678,NULL);
INSERT INTO "kyc_relay_events" ("position","event_id","app_id","user_id","type","occurred_at","body","test","source_event_id","withheld","created_at","trace_context") VALUES (3,'737ed9df-b292-7637-8802-d52b9b2b2432','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','TRANSACTION_CREATE',1767323045678,X'7B226E616D65223A22696E20666C69676874227D',0,NULL,NULL,1767323045678,NULL);
INSERT INTO "kyc_relay_grants" ("app_id","user_id","account_id","external_reference_id","scopes") VALUES ('a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','9af21132-9b2f-782e-8efe-906062c73008','ref','["VERIFY_KYC"]');
INSERT INTO "kyc_relay_kyc_status_log" ("verification","user_id","previous","next","at","unpublished") VALUES (1,'04f8996d-a763-77a9-89b1-028ee3007569','UNVERIFIED','PASS',1772323200000,0);
INSERT INTO "kyc_relay_migrations" ("number","name","sha256","schema_sha256","applied_at") VALUES (1,'0001_create_tables','0a15a5cd0aa2c19388703a93fa24e60c031fb07bb46343525d38c7aa939d122d','e8c1571260a668c523d130f60a1ab2b9646d41b0cf514d1606e0832a77a67a33',1767323045678);
INSERT INTO "kyc_relay_receiver_events" ("event_id","fence","state","at") VALUES ('94f27031-fad0-71fc-875f-856eccc680d5',1,'COMPLETED',1767323045678);
INSERT INTO "kyc_relay_receiver_events" ("event_id","fence","state","at") VALUES ('edce70cc-a8ad-7701-8605-7cedb37be4cc',1,'CLAIMED',1767323105678);
INSERT INTO "kyc_relay_receiver_migrations" ("number","name","sha256","schema_sha256","applied_at") VALUES (1,'0001_create_tables','6f507bd18a794b3b0f3d5b4d7be00ad5d854cd2a36b2977f86f401140b21f586','bbd1522a1004f0f687f40987737b6f23ea1880132eaca17a0d4b960d59d6420c',1767323045678);
INSERT INTO "kyc_relay_vault_audit_entries" ("sequence","kind","at","app_id","user_id","subject","actor","reason","content_digest","key_id","previous_mac","mac") VALUES (1,'CHAIN_STARTED',1767323045678,NULL,NULL,'0',NULL,NULL,X'1B16B1DF538BA12DC3F97EDBB85CAA7050D46C148134290FEBA80F8236C83DB9','audit-1',X'0000000000000000000000000000000000000000000000000000000000000000',X'32478E448EDF1B8BDA27162BE2EA20F92A314685C3DD70245D9C02ACD7C4F9B2');
INSERT INTO "kyc_relay_vault_commit_count" ("number") VALUES (1);
INSERT INTO "kyc_relay_vault_data_keys" ("position","app_id","user_id","key_id","wrapped","created_at") VALUES (1,'a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','seal-1',X'01067365616C2D31EDC024507AAA1483BBD9DAB4DD20C635049368CD2D733CC7CC444AEFBB67BC4465D188F49A25B7461403546B67A8225695105695AEED877F37562F7C',1767323045678);
INSERT INTO "kyc_relay_vault_migrations" ("number","name","sha256","schema_sha256","applied_at") VALUES (1,'0001_create_tables','ff1ef9cbd9f2be41e35703b8fde41499c37dd009f9d26199b81311446c70d1db','23030fb153ea2f6aa7767b44c1be38824a2ccf098e5434c48b1c30b61eaa484e',1767323045678);
INSERT INTO "kyc_relay_vault_tokens" ("position","token","app_id","user_id","field","fingerprint","sealed","created_at","data_key","quarantined_at") VALUES (1,'tok_ssn_1vbVSPPQ9ZD1jgRXPV9qD0kMMKXxh9ue_1120','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','ssn',X'5D61DA8F1A9A5E9C884CFD352EFEF48BFC675725C3E5337E7D2A43CBE3F53DBB',X'010464617461EBC2AAB375DFE830FAFCC9FCB0C1628036FE9688DAE54C29A169AACEE449BC4274CAA3ADFF',1767323045678,1,NULL);
INSERT INTO "kyc_relay_vault_tokens" ("position","token","app_id","user_id","field","fingerprint","sealed","created_at","data_key","quarantined_at") VALUES (2,'tok_document_number_1vbVSP9GsZ4QBVUIaEB3WAzlFXZG4nuk','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','document_number',X'BF03BD938FD48CA4739341877A7B415D95B5935406EB6DDD29CFCAD45052389D',NULL,1767323045678,1,NULL);
INSERT INTO "kyc_relay_verification_checks" ("verification","ordinal","section","name","status") VALUES (1,0,'document','document_authenticity','PASSED');
INSERT INTO "kyc_relay_verification_checks" ("verification","ordinal","section","name","status") VALUES (1,1,'document','face_match','PASSED');
INSERT INTO "kyc_relay_verification_checks" ("verification","ordinal","section","name","status") VALUES (1,2,'document','nfc_chip','NOT_APPLICABLE');
INSERT INTO "kyc_relay_verification_sections" ("verification","ordinal","section","provider_verification_id","status") VALUES (1,0,'document','doc-0001','PASSED');
INSERT INTO "kyc_relay_verification_sections" ("verification","ordinal","section","provider_verification_id","status") VALUES (1,1,'ssn','ssn-0001','PASSED');
INSERT INTO "kyc_relay_verifications" ("position","verification_id","app_id","user_id","external_verification_id","external_verification_provider","schema_version","decision","decisioned_at","recorded_at","country_code","result_status","result_message","payload_digest","ssn_token","ssn_state","document_number_token","sealed_details","erasable_key","erasable_mac") VALUES (1,'041daf78-0108-4ed4-87d1-ce08d51ec3d6','a172cedc-ae47-774b-815c-54d510a5d84a','04f8996d-a763-77a9-89b1-028ee3007569','attempt-0001','CUSTOM','1.0','PASSED',1767607200000,1772323200000,'US','VERIFIED','The verification was recorded and the KYC status of the user was set.',X'3CFC1C92AA14DB61DF7B028A22C75030AC22C6F4B0BE6C493E50812DB67AC936','tok_ssn_1vbVSPPQ9ZD1jgRXPV9qD0kMMKXxh9ue_1120','VALIDATED','tok_document_number_1vbVSP9GsZ4QBVUIaEB3WAzlFXZG4nuk',X'01046461746164BD3C971D9E02C4C418F521FA87F5D4D6C1B77802ABBCF37F36B4F0AC473972BE0B02800B1A2B6E6D8E24887A6BACB251693E11E522D0D6DA141464024D1EBBC54B834901096143307C22EF79386AFC6C2B6B91F120FE8AD6A3C1324C003B896214446ED722A97B06974A9CD99EE029AF521F3233917A584F8813924E0194FA6EA4E43AF34A3B8540E39FB0BB632082FB80816652564DE7950C33B100607F9821E79B5735548931C2B1373DCF46322052317BE14CE2F59BCB862F1ED96BB6EA251906B148035685D217CEFF14E3BA12E3B7A77FEC82A6777D263B4D618E63732E4DE30BA55F14083C76E345EE06E688CC6368BAC90D91B12A243F99D3C9173690D2AC227D930F4325FB44CB4A016CC976966F13E7546FF193F17A48128194BC40C62DA3D9A15A8AAC8ADDBDFA1CC2DF184D01758FD9F24A01C047327908682227A2C9C6B1C6F3E35876895C154194CF7C9248738DB2F50411FE2ACCCD9CE4A1425E712C06CE98477BCD82B5DE52D563860E14E1D22FD747D6A707828881199A1F99D0E8111C52A16F8114D42D776672C290B86932B698A2FF25BDD48BD4DCCC3CDFA4B18B3CA1CDC102AA61742897261A96CC8B50C1F25CC037055E71E7DD0A27EFFD055054191EB1C9AD0A0C8AD2BBEC86D00DB8E8DAA5861E732089BFC6882063A69F1F9E3459E0BF82573E5079569536C90D234F17492F686FAEDF8AE26570CDFB0CF17D849C48683F6A88F531BDC934AD2E1C9D9B423A35ED86AA61AE223E81DF269B51E1E483437E55626062ADA9A1B941BD23A8735A9B35FB26CFD4ED67843070A6A926773A6156ECA9A2BD98EE2545BC0AFF34403EB3C788FE982D0F09F227E293ED0A35F80C7B89A4E1F9DD3E1B685FF2066CB8AA0A04BB790515E6905B9210B7C577FF65332B83D2E000C24782DAE127418CF1065F5BF27D12F5FE111272DB0EEFFD1D32329A1CD06B017DE7B2AF296F5FF4587139C89D3C920F9AB27E7360F2B8D7ADF866A6BCD90EB69771A776C3174C5E9ADE9F4B007B54F80CF8AC2F0072505F3BCD1764136C527CDE7D3B43EC0BFC4B93D97F8B3CBE0812AEC991D3875680397B1846D0470D4F106EF57FBCE065F2DCD540DBB8F5262968942B0A576F55300BC00D4E0E8A2E126421B623B112236B453381648FD09B5E20D0436714C357BAE0F81B947B6F4831027EA45B53134D2CDFAD63068CF9FB203D019D602F7CBE1C708880ADC359ACD840A46F08007F3B883A4974BCD705F990E28D85187D7B1BF4D6C1F3E605F921EAAEDFF1E787BED04016A8D9B52A8E43C437B5D307C281B08BF98F7BC31A74A09CB2C2210E6A038C0B61E3',X'45B710C2BCCDFC123025B114EF3B44AADFD92B2DD38FB1C0B2F614DB26EDCD64',X'42E3E30CA869249AC014B112B66FC955397249FAB734970BBC2998509DDA8EBF');
