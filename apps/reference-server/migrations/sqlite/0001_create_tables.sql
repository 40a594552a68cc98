CREATE TABLE `portal_previews` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session` blob NOT NULL,
	`preview_id` text NOT NULL,
	`content` blob NOT NULL,
	FOREIGN KEY (`session`) REFERENCES `portal_sessions`(`hash`) ON UPDATE no action ON DELETE cascade
) STRICT;

CREATE INDEX `portal_previews_of_session` ON `portal_previews` (`session`,`position`);

CREATE UNIQUE INDEX `portal_previews_by_id` ON `portal_previews` (`session`,`preview_id`);

CREATE TABLE `portal_sessions` (
	`hash` blob PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`app_id` text NOT NULL,
	`app_name` text,
	`key_version` integer,
	`begun_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`latest_end_at` integer NOT NULL,
	`notice` text,
	CONSTRAINT "portal_sessions_kind_check" CHECK(kind IN ('app', 'operator')),
	CONSTRAINT "portal_sessions_app_name_check" CHECK((kind = 'app') = (app_name IS NOT NULL)),
	CONSTRAINT "portal_sessions_key_version_check" CHECK((kind = 'app') = (key_version IS NOT NULL))
) STRICT;

CREATE INDEX `portal_sessions_by_end` ON `portal_sessions` (`ends_at`);

CREATE INDEX `portal_sessions_of_holder` ON `portal_sessions` (`kind`,`app_id`,`begun_at`);
