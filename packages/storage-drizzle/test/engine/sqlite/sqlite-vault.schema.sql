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

CREATE INDEX `kyc_relay_vault_audit_entries_of_erased` ON `kyc_relay_vault_audit_entries` (`app_id`,`user_id`) WHERE kind = 'OWNER_ERASED';

CREATE UNIQUE INDEX `kyc_relay_vault_audit_entries_of_row` ON `kyc_relay_vault_audit_entries` (`subject`) WHERE kind = 'VALUE_REVEALED';

CREATE INDEX `kyc_relay_vault_audit_of_owner` ON `kyc_relay_vault_audit` (`app_id`,`user_id`,`position`);

CREATE INDEX `kyc_relay_vault_data_keys_by_key` ON `kyc_relay_vault_data_keys` (`key_id`,`position`);

CREATE UNIQUE INDEX `kyc_relay_vault_data_keys_of_owner` ON `kyc_relay_vault_data_keys` (`app_id`,`user_id`);

CREATE INDEX `kyc_relay_vault_tokens_by_age` ON `kyc_relay_vault_tokens` (`created_at`,`position`);

CREATE UNIQUE INDEX `kyc_relay_vault_tokens_by_token` ON `kyc_relay_vault_tokens` (`token`);

CREATE INDEX `kyc_relay_vault_tokens_in_quarantine` ON `kyc_relay_vault_tokens` (`quarantined_at`,`position`) WHERE quarantined_at IS NOT NULL;

CREATE INDEX `kyc_relay_vault_tokens_of_data_key` ON `kyc_relay_vault_tokens` (`data_key`);
