-- Distributes the tables of the stores over the nodes of Citus: webhooks by app, people and the vault by user, and
-- submission keys by the id that the partner gave. Run it as the owner on each empty database, after `kyc-relay-migrate up`:
--   psql -f distribute.sql kyc
-- The stores then need the option `distributed`. All other tables stay on the coordinator: apps, API keys, grants, access
-- tokens, the audit log and an application's own tables.

SELECT create_distributed_table(name, owner, colocate_with => coalesce(beside, 'none'))
FROM (VALUES
  ('kyc_relay_endpoints', 'app_id', NULL),
  ('kyc_relay_endpoint_limits', 'app_id', 'kyc_relay_endpoints'),
  ('kyc_relay_endpoint_schedules', 'app_id', 'kyc_relay_endpoints'),
  ('kyc_relay_due_notices', 'app_id', 'kyc_relay_endpoints'),
  ('kyc_relay_events', 'app_id', 'kyc_relay_endpoints'),
  ('kyc_relay_event_sources', 'app_id', 'kyc_relay_endpoints'),
  ('kyc_relay_deliveries', 'app_id', 'kyc_relay_endpoints'),
  ('kyc_relay_delivery_queue', 'app_id', 'kyc_relay_endpoints'),
  ('kyc_relay_attempts', 'app_id', 'kyc_relay_endpoints'),
  ('kyc_relay_recoveries', 'app_id', 'kyc_relay_endpoints'),
  ('kyc_relay_endpoint_hours', 'app_id', 'kyc_relay_endpoints'),
  ('kyc_relay_transactions', 'app_id', 'kyc_relay_endpoints'),
  ('kyc_relay_transaction_moves', 'app_id', 'kyc_relay_endpoints'),
  ('kyc_relay_kyc_statuses', 'user_id', NULL),
  ('kyc_relay_verifications', 'user_id', 'kyc_relay_kyc_statuses'),
  ('kyc_relay_kyc_status_outbox', 'user_id', 'kyc_relay_kyc_statuses'),
  ('kyc_relay_kyc_status_corrections', 'user_id', 'kyc_relay_kyc_statuses'),
  ('kyc_relay_photo_jobs', 'user_id', 'kyc_relay_kyc_statuses'),
  ('kyc_relay_user_retention', 'user_id', 'kyc_relay_kyc_statuses'),
  ('kyc_relay_submission_keys', 'external_verification_id', NULL),
  ('kyc_relay_vault_data_keys', 'user_id', NULL),
  ('kyc_relay_vault_tokens', 'user_id', 'kyc_relay_vault_data_keys')
) AS tables (name, owner, beside)
WHERE to_regclass(name) IS NOT NULL;
