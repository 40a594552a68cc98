import { REMOVED, type CaseGroup } from './case-row.js'

export const refusedArguments: readonly CaseGroup[] = [
  {
    heading: 'Schema version: "1.0" and nothing else',
    rows: [
      ...['1', '1.1', '1.0.0', 'v1.0', ' 1.0', '1.0 ', '2.0', '', 1.0, 10, true].map((value) => ({
        what: JSON.stringify(value),
        change: { '/schemaVersion': value },
        refused: ['/schemaVersion UNSUPPORTED_SCHEMA_VERSION'],
      })),
      { what: 'none', change: { '/schemaVersion': REMOVED }, refused: ['/schemaVersion REQUIRED'] },
      { what: 'null', change: { '/schemaVersion': null }, refused: ['/schemaVersion REQUIRED'] },
    ],
  },
  {
    heading: 'Provider: CUSTOM or a configured name, exactly as written',
    rows: [
      ...['ACME', 'custom', 'CUSTOM ', 'Custom', 'PROVIDER_1'].map((value) => ({
        what: `"${value}"`,
        change: { '/externalVerificationProvider': value },
        refused: ['/externalVerificationProvider ENUM'],
      })),
      {
        what: 'another case of a configured name',
        change: { '/externalVerificationProvider': 'acme_id' },
        policy: { providers: ['ACME_ID'] },
        refused: ['/externalVerificationProvider ENUM'],
      },
      {
        what: 'none',
        change: { '/externalVerificationProvider': REMOVED },
        refused: ['/externalVerificationProvider REQUIRED'],
      },
      {
        what: 'a number',
        change: { '/externalVerificationProvider': 1 },
        refused: ['/externalVerificationProvider TYPE'],
      },
    ],
  },
  {
    heading: 'Idempotency key: 1 to 255 printable ASCII characters without spaces',
    rows: [
      { what: 'none', change: { '/externalVerificationId': REMOVED }, refused: ['/externalVerificationId REQUIRED'] },
      {
        what: 'an empty text',
        change: { '/externalVerificationId': '' },
        refused: ['/externalVerificationId REQUIRED'],
      },
      { what: 'a number', change: { '/externalVerificationId': 12345 }, refused: ['/externalVerificationId TYPE'] },
      ...['attempt 1', ' attempt-1', 'attempt-1 ', 'аttempt-1', 'attempt–1', 'attémpt-1', '試行-1', 'a\u00a0b'].map(
        (value) => ({
          what: `"${value}"`,
          change: { '/externalVerificationId': value },
          refused: ['/externalVerificationId FORMAT'],
        }),
      ),
      ...['a\u0000b', 'a\tb', 'a\n', '\u007f'].map((value) => ({
        what: `a control character: ${JSON.stringify(value)}`,
        change: { '/externalVerificationId': value },
        refused: ['/externalVerificationId CONTROL_CHARACTER'],
      })),
      {
        what: 'half of a surrogate pair, which databases store as another character',
        change: { '/externalVerificationId': '\udc00' },
        refused: ['/externalVerificationId ILL_FORMED_UNICODE'],
      },
      {
        what: '256 characters',
        change: { '/externalVerificationId': 'a'.repeat(256) },
        refused: ['/externalVerificationId TOO_LONG'],
      },
      {
        what: 'the SSN itself',
        change: { '/externalVerificationId': '078-05-1120' },
        refused: ['/externalVerificationId CLEAR_PII_IN_FREE_FORM'],
      },
    ],
  },
  {
    heading: 'Decision: PASSED or FAILED',
    rows: [
      ...['passed', 'PASS', 'PASSED ', 'PENDING', 'REVIEW', 'APPROVED', 'NOT_APPLICABLE', ''].map((value) => ({
        what: `"${value}"`,
        change: { '/decision': value },
        refused: ['/decision ENUM'],
      })),
      { what: 'none', change: { '/decision': REMOVED }, refused: ['/decision REQUIRED'] },
      { what: 'null', change: { '/decision': null }, refused: ['/decision REQUIRED'] },
      { what: 'true', change: { '/decision': true }, refused: ['/decision TYPE'] },
      { what: 'a list', change: { '/decision': ['PASSED'] }, refused: ['/decision TYPE'] },
    ],
  },
  {
    heading: 'Reason of the decision',
    rows: [
      { what: 'an empty text', change: { '/decisionReason': '' }, refused: ['/decisionReason FORMAT'] },
      { what: 'a number', change: { '/decisionReason': 42 }, refused: ['/decisionReason TYPE'] },
      {
        what: 'an escape character',
        change: { '/decisionReason': 'ok\u001b[31m' },
        refused: ['/decisionReason CONTROL_CHARACTER'],
      },
      {
        what: 'more than 32 KiB',
        change: { '/decisionReason': 'a'.repeat(32769) },
        refused: ['/decisionReason TOO_LONG'],
      },
      {
        what: 'more than 32 KiB in UTF-8',
        change: { '/decisionReason': '漢'.repeat(11000) },
        refused: ['/decisionReason TOO_LONG'],
      },
    ],
  },
  {
    heading: 'Time of the decision: an RFC 3339 date and time',
    rows: [
      ...[
        '2026-01-05',
        '2026-01-05 10:00:00Z',
        '2026-01-05T10:00Z',
        '2026-01-05T10Z',
        '2026-01-05T24:00:00Z',
        '2026-01-05T23:60:00Z',
        '2026-01-05T10:00:60Z',
        '2026-01-05T23:59:60Z',
        '2024-02-30T10:00:00Z',
        '2025-02-29T10:00:00Z',
        '2026-13-01T10:00:00Z',
        '2026-01-05T10:00:00+99:99',
        '2026-01-05T10:00:00+24:00',
        '2026-01-05T10:00:00+05:60',
        '2026-01-05T10:00:00+05',
        '2026-01-05T10:00:00.Z',
        '2026-01-05T10:00:00,5Z',
        '2026-01-05T10:00:00 Z',
        '2026-01-05T10:00:00UTC',
        '2026-1-5T10:00:00Z',
        '275760-01-05T10:00:00Z',
        '1767607200',
        'Mon, 05 Jan 2026 10:00:00 GMT',
        'yesterday',
        '',
      ].map((value) => ({
        what: `"${value}"`,
        change: { '/decisionedAt': value },
        refused: ['/decisionedAt DATE_INVALID'],
      })),
      { what: 'a number', change: { '/decisionedAt': 1767607200 }, refused: ['/decisionedAt TYPE'] },
      {
        what: 'ten minutes ahead',
        change: { '/decisionedAt': '2026-01-06T12:10:00Z' },
        refused: ['/decisionedAt DATE_IN_FUTURE'],
      },
      {
        what: 'a moment more than five minutes ahead',
        change: { '/decisionedAt': '2026-01-06T12:05:00.001Z' },
        refused: ['/decisionedAt DATE_IN_FUTURE'],
      },
      {
        what: 'a local time that is still to come in its zone',
        change: { '/decisionedAt': '2026-01-06T12:00:00-05:00' },
        refused: ['/decisionedAt DATE_IN_FUTURE'],
      },
      {
        what: 'the year 0',
        change: { '/decisionedAt': '0000-01-01T00:00:00Z' },
        refused: ['/decisionedAt DATE_IMPLAUSIBLE'],
      },
      {
        what: 'before the person was born',
        change: { '/decisionedAt': '1985-04-10T00:00:00Z' },
        refused: ['/decisionedAt INCONSISTENT_DATES'],
      },
    ],
  },
  {
    heading: 'Objects are objects, and closed',
    rows: [
      { what: 'a person as JSON text', change: { '/person': '{"firstName":"Maria"}' }, refused: ['/person TYPE'] },
      { what: 'a person as list', change: { '/person': [] }, refused: ['/person TYPE'] },
      { what: 'no person', change: { '/person': REMOVED }, refused: ['/person REQUIRED'] },
      { what: 'a null person', change: { '/person': null }, refused: ['/person REQUIRED'] },
      {
        what: 'verifications as JSON text',
        change: { '/verifications': '{"ssn":{}}' },
        refused: ['/verifications TYPE'],
      },
      {
        what: 'provider data as JSON text',
        change: { '/externalProviderData': '{}' },
        refused: ['/externalProviderData TYPE'],
      },
      {
        what: 'provider data as list',
        change: { '/externalProviderData': [] },
        refused: ['/externalProviderData TYPE'],
      },
      { what: 'person data as text', change: { '/person/personData': 'x' }, refused: ['/person/personData TYPE'] },
      ...['SSN', 'Ssn', 'tax_id', 'taxId', 'socialSecurityNumber', 'gender', 'first_name'].map((key) => ({
        what: `person.${key}`,
        change: { [`/person/${key}`]: 'x' },
        refused: ['/person UNKNOWN_FIELD'],
      })),
      { what: 'an unknown field that is null', change: { '/person/nickname': null } },
      { what: 'an unknown argument', change: { '/ssn': '078-05-1120' }, refused: [' UNKNOWN_FIELD'] },
      {
        what: 'a name with a zero-width space, not repeated in the pointer',
        change: { '/person/ss\u200bn': 'x' },
        refused: ['/person UNKNOWN_FIELD'],
      },
      {
        what: 'a name that is personal data, not repeated in the pointer',
        change: { '/person/078-05-1120': 'x' },
        refused: ['/person UNKNOWN_FIELD'],
      },
      {
        what: 'a name that holds personal data behind a letter',
        change: { '/person/ssn078051120': 'x' },
        refused: ['/person UNKNOWN_FIELD'],
      },
      { what: 'a name of a person', change: { '/person/JaneExample': 'x' }, refused: ['/person UNKNOWN_FIELD'] },
      {
        what: 'two of them in one object, and a number in one that cannot be kept',
        change: { '/person/JaneExample': 2 ** 53, '/person/JohnExample': 1 },
        refused: ['/person UNSAFE_NUMBER'],
      },
      {
        what: 'a field of the contract in another place',
        change: { '/person/city': 'x' },
        refused: ['/person UNKNOWN_FIELD'],
      },
      {
        what: 'a name with a NUL',
        change: { '/person/ss\u0000n': 'x' },
        refused: ['/person UNKNOWN_FIELD'],
      },
      {
        what: 'an unknown field of the address',
        change: { '/person/address/county': 'Sangamon' },
        refused: ['/person/address UNKNOWN_FIELD'],
      },
      {
        what: 'an unknown field of the document',
        change: { '/verifications/document/mrz': 'x' },
        refused: ['/verifications/document UNKNOWN_FIELD'],
      },
      { what: 'constructor', change: { '/person/constructor': {} }, refused: ['/person UNKNOWN_FIELD'] },
      {
        what: 'prototype inside open data',
        change: { '/externalProviderData/prototype': {} },
        refused: ['/externalProviderData UNKNOWN_FIELD'],
      },
    ],
  },
]
