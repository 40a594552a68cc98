-- Distributes the tables of the stores over the nodes of Citus: webhooks by app, people by user, and submission keys by the
-- id that the partner gave. Run it as the owner on an empty database, after `kyc-relay-migrate up`:
--   psql -f distribute.sql kyc
-- The stores then need the option `distributed`. Not all of them work on Citus yet: docs/scaling.md says what does not.
-- All other tables stay on the coordinator: apps, API keys, grants, access tokens, the vault, the audit log and an
-- application's own tables.

SELECT create_distributed_table('kyc_relay_endpoints', 'app_id', colocate_with => 'none');
SELECT create_distributed_table(name, 'app_id', colocate_with => 'kyc_relay_endpoints')
FROM unnest(ARRAY[
  'kyc_relay_endpoint_limits', 'kyc_relay_endpoint_schedules', 'kyc_relay_due_notices', 'kyc_relay_events',
  'kyc_relay_event_sources', 'kyc_relay_deliveries', 'kyc_relay_delivery_queue', 'kyc_relay_attempts',
  'kyc_relay_transactions', 'kyc_relay_transaction_moves'
]) AS name;

SELECT create_distributed_table('kyc_relay_kyc_statuses', 'user_id', colocate_with => 'none');
SELECT create_distributed_table(name, 'user_id', colocate_with => 'kyc_relay_kyc_statuses')
FROM unnest(ARRAY[
  'kyc_relay_verifications', 'kyc_relay_verification_sections', 'kyc_relay_verification_checks',
  'kyc_relay_decline_codes', 'kyc_relay_kyc_status_log', 'kyc_relay_photo_jobs'
]) AS name;

SELECT create_distributed_table('kyc_relay_submission_keys', 'external_verification_id', colocate_with => 'none');
