// Writes a history of verifications, tokens, events, deliveries and attempts, on both engines.
export const apps = 20
export const endpoints = 1_000
export const appId = (n) => `0a000000-0000-7000-8000-${String(n).padStart(12, '0')}`
export const endpointId = (n) => `0e000000-0000-7000-8000-${String(n).padStart(12, '0')}`

/** Sections, checks and decline codes of each verification. */
const lists = `'[{"section":"ssn","verificationId":"ssn-1","status":"PASSED"}]', '[{"section":"ssn","name":"ssn_match","status":"PASSED"}]', '[]'`

/** When the row numbered `i` was written, in SQL: a millisecond after the one before. */
const at = `${Date.now() - 30 * 60_000} + i`

/**
 * What the stores would have left, written by the database itself. Tokens begin with the millisecond they were made in. All of it is of
 * today: nothing of it is old enough for a server to clear away meanwhile.
 */
export const seeds = {
  sqlite: (rows) => `
    PRAGMA synchronous = OFF;
    BEGIN;
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${apps - 1})
    INSERT INTO kyc_relay_apps (app_id, name) SELECT printf('0a000000-0000-7000-8000-%012d', i), 'App ' || i FROM n;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${endpoints})
    INSERT INTO kyc_relay_endpoints (endpoint_id, lineage_id, app_id, url, standard_webhooks, created_at)
    SELECT printf('0e000000-0000-7000-8000-%012d', i), i, printf('0a000000-0000-7000-8000-%012d', i % ${apps}), 'https://example.com/', 0, 0 FROM n;
    INSERT INTO kyc_relay_endpoint_schedules (endpoint) SELECT position FROM kyc_relay_endpoints;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO kyc_relay_verifications (verification_id, app_id, user_id, external_verification_id, external_verification_provider,
      schema_version, decision, decisioned_at, recorded_at, country_code, result_status, result_message, payload_digest,
      ssn_token, ssn_state, document_number_token, previous_status, next_status, status_at, sections, checks, decline_codes,
      sealed_details, erasable_key, erasable_mac)
    SELECT printf('%08x-0000-7000-8000-000000000000', i), printf('0a000000-0000-7000-8000-%012d', i % ${apps}),
      lower(hex(randomblob(16))), lower(hex(randomblob(16))), 'CUSTOM', '1.0', 'PASSED', ${at}, ${at}, 'US', 'VERIFIED', 'The user is verified.',
      randomblob(32), printf('tok_ssn_0%07d%s_1120', i, lower(hex(randomblob(13)))), 'VALIDATED', printf('tok_document_number_0%07d%s', i, lower(hex(randomblob(13)))), 'UNVERIFIED', 'PASS', ${at}, ${lists}, randomblob(400), randomblob(32), randomblob(32) FROM n;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO kyc_relay_events (event_id, app_id, user_id, type, occurred_at, body, test, source_event_id, created_at)
    SELECT printf('%08x-0001-7000-8000-000000000000', i), printf('0a000000-0000-7000-8000-%012d', i % ${apps}), lower(hex(randomblob(16))),
      'WIDGET_DEPOSIT_COMPLETE', ${at}, randomblob(250), 0, 'source ' || i, ${at} FROM n;
    INSERT INTO kyc_relay_deliveries (delivery_id, event, endpoint, x_event_id, app_id, user_id, event_type, state, attempts_made, created_at, ended_at)
    SELECT printf('%08x-0002-7000-8000-000000000000', position), position, 1 + position % ${endpoints}, event_id, app_id, user_id, type, 'DELIVERED', 1, created_at, created_at
    FROM kyc_relay_events;
    INSERT INTO kyc_relay_attempts (delivery, number, state, started_at, ended_at, report)
    SELECT position, 1, 'SUCCEEDED', created_at, created_at, '{"cause":null,"status":200}' FROM kyc_relay_deliveries;
    COMMIT;`,
  postgres: (rows) => `
    SET synchronous_commit = off;
    INSERT INTO kyc_relay_apps (app_id, name)
    SELECT '0a000000-0000-7000-8000-' || lpad(i::text, 12, '0'), 'App ' || i FROM generate_series(0, ${apps - 1}) i;
    INSERT INTO kyc_relay_endpoints (endpoint_id, lineage_id, app_id, url, standard_webhooks, created_at)
    SELECT '0e000000-0000-7000-8000-' || lpad(i::text, 12, '0'), i, '0a000000-0000-7000-8000-' || lpad((i % ${apps})::text, 12, '0'), 'https://example.com/', false, now()
    FROM generate_series(1, ${endpoints}) i;
    INSERT INTO kyc_relay_endpoint_schedules (app_id, endpoint_id) SELECT app_id, endpoint_id FROM kyc_relay_endpoints;
    INSERT INTO kyc_relay_verifications (verification_id, app_id, user_id, external_verification_id, external_verification_provider,
      schema_version, decision, decisioned_at, recorded_at, country_code, result_status, result_message, payload_digest,
      ssn_token, ssn_state, document_number_token, previous_status, next_status, status_at, sections, checks, decline_codes,
      sealed_details, erasable_key, erasable_mac)
    SELECT lpad(to_hex(i), 8, '0') || '-0000-7000-8000-000000000000', '0a000000-0000-7000-8000-' || lpad((i % ${apps})::text, 12, '0'),
      gen_random_uuid(), gen_random_uuid(), 'CUSTOM', '1.0', 'PASSED', now(), now(), 'US', 'VERIFIED', 'The user is verified.',
      decode(repeat(md5(i::text), 2), 'hex'), 'tok_ssn_0' || lpad(i::text, 7, '0') || left(md5('s' || i), 26) || '_1120', 'VALIDATED',
      'tok_document_number_0' || lpad(i::text, 7, '0') || left(md5('d' || i), 26),
      'UNVERIFIED', 'PASS', now(), ${lists}, decode(repeat(md5(i::text), 25), 'hex'), decode(repeat(md5('k' || i), 2), 'hex'), decode(repeat(md5('m' || i), 2), 'hex')
      FROM generate_series(1, ${rows}) i;
    INSERT INTO kyc_relay_submission_keys SELECT external_verification_id, app_id, user_id, verification_id, result_status, result_message, payload_digest FROM kyc_relay_verifications;
    INSERT INTO kyc_relay_kyc_statuses SELECT user_id, 'PASS', recorded_at FROM kyc_relay_verifications;
    INSERT INTO kyc_relay_events (event_id, app_id, user_id, type, occurred_at, body, test, created_at)
    SELECT lpad(to_hex(i), 8, '0') || '-0001-7000-8000-000000000000', '0a000000-0000-7000-8000-' || lpad((i % ${apps})::text, 12, '0'), gen_random_uuid(),
      'WIDGET_DEPOSIT_COMPLETE', now(), decode(repeat(md5(i::text), 16), 'hex'), false, now() - (${rows} - i) * interval '1 second' FROM generate_series(1, ${rows}) i;
    INSERT INTO kyc_relay_event_sources SELECT app_id, 'source ' || event_id, event_id FROM kyc_relay_events;
    INSERT INTO kyc_relay_deliveries (delivery_id, event_id, endpoint_id, x_event_id, app_id, user_id, event_type, state, attempts_made, created_at, ended_at)
    SELECT left(event_id, 8) || '-0002-7000-8000-000000000000', event_id, '0e000000-0000-7000-8000-' || lpad((1 + (position - 1) % ${endpoints})::text, 12, '0'),
      event_id, app_id, user_id, type, 'DELIVERED', 1, created_at, created_at FROM kyc_relay_events;
    INSERT INTO kyc_relay_attempts (app_id, delivery_id, number, state, started_at, ended_at, report)
    SELECT app_id, delivery_id, 1, 'SUCCEEDED', created_at, created_at, '{"cause":null,"status":200}' FROM kyc_relay_deliveries;`,
}

/** The same history in the vault: a data key for every user, and an SSN. */
export const vaultSeeds = {
  sqlite: (rows, keyId) => `
    PRAGMA synchronous = OFF;
    BEGIN;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO kyc_relay_vault_data_keys (app_id, user_id, key_id, wrapped, created_at)
    SELECT printf('0a000000-0000-7000-8000-%012d', i % ${apps}), lower(hex(randomblob(16))), '${keyId}', randomblob(60), ${at} FROM n;
    INSERT INTO kyc_relay_vault_tokens (token, app_id, user_id, field, fingerprint, sealed, created_at, data_key)
    SELECT printf('tok_ssn_0%07d%s_1120', position, lower(hex(randomblob(13)))), app_id, user_id, 'ssn', randomblob(32), randomblob(45), created_at, position
    FROM kyc_relay_vault_data_keys;
    COMMIT;`,
  postgres: (rows, keyId) => `
    SET synchronous_commit = off;
    INSERT INTO kyc_relay_vault_data_keys (app_id, user_id, key_id, wrapped, created_at)
    SELECT '0a000000-0000-7000-8000-' || lpad((i % ${apps})::text, 12, '0'), gen_random_uuid(), '${keyId}', decode(repeat(md5(i::text), 4), 'hex'), now()
    FROM generate_series(1, ${rows}) i;
    INSERT INTO kyc_relay_vault_tokens (token, app_id, user_id, field, fingerprint, sealed, created_at, data_key)
    SELECT 'tok_ssn_0' || lpad(position::text, 7, '0') || left(md5('v' || position), 26) || '_1120', app_id, user_id, 'ssn',
      decode(repeat(md5(position::text), 2), 'hex'), decode(repeat(md5(position::text), 3), 'hex'), created_at, position FROM kyc_relay_vault_data_keys;`,
}
