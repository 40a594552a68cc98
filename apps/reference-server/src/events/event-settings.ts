import { days, filePath, flag, hostNames, optional, proxyUrl, setting, whole } from '../setting-types.js'

/** Settings about events and their delivery. */
export const eventSettings = {
  OUTBOUND_PROXY: optional(
    proxyUrl,
    'HTTP proxy for webhooks and photos, so that partners can allow its addresses. Names are still resolved and addresses checked here. Connections to a photo bucket do not use it. User and password may be in the URL.',
    {
      example: 'http://proxy.internal:3128',
      expected: 'http://host:port or https://host:port, with % as %25 in a password',
    },
  ),
  ALLOW_LOOPBACK_RECEIVERS: setting(
    flag,
    '0',
    '1: webhooks can go to https://localhost:<port>, with a certificate of the local CA. For local development only.',
  ),
  DELIVERY_RETRY_BASE_MS: setting(
    whole(1, 3_600_000),
    '30000',
    'Delay before the second attempt of a delivery, in milliseconds. Each further delay is six times as long.',
  ),
  RECOVERY_PAUSE_MS: setting(
    whole(0, 60_000),
    '40',
    'Pause after each step of a recovery, in milliseconds. A step makes at most four deliveries. A shorter pause recovers faster and delays live events more.',
  ),
  KYC_STATUS_EVENTS: setting(
    flag,
    '0',
    '1: endpoints can subscribe to `KYC_STATUS_CHANGED`, which tells each change of a KYC status. Changes before are not told.',
  ),
  EVENT_TYPES_FILE: optional(
    filePath,
    'JSON file of event types of your own. Give it to every process. See docs/operate.md.',
    { example: '/etc/kyc-relay/event-types.json' },
  ),
  BODY_RETENTION_DAYS: setting(
    days,
    '30',
    'Age of an event, in days, at which its body is blanked, unless a delivery is pending. A delivery without its body cannot be resent. Fields of a transaction are blanked this many days after its last move.',
  ),
  CLOSED_ACCOUNT_RETENTION_YEARS: setting(
    whole(0, 100),
    '0',
    'Years after the closure of an account until the retention report lists its user for erasure, for example 5 (31 CFR 1020.220). 0: there is no report.',
  ),
  ATTEMPT_RETENTION_DAYS: setting(
    days,
    '90',
    'Age of an attempt, in days, at which it is removed, unless its delivery is pending.',
  ),
  PUBLIC_HOSTS: optional(
    hostNames,
    'Host names of this service, separated by commas. No webhook endpoint may use one of them.',
    {
      example: 'api.kyc-relay.example,secure.kyc-relay.example',
      expected: 'host names separated by commas',
    },
  ),
} as const
