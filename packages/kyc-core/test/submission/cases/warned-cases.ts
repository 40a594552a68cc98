import { REMOVED, type CaseGroup } from './case-row.js'

const A = '/person/address'
const D = '/verifications/document'

export const warnedCases: readonly CaseGroup[] = [
  {
    heading: 'Accepted with a remark: one name',
    rows: [
      ...['-', '.', '\u200e-', '.\u200f'].map((value) => ({
        what: `${JSON.stringify(value)} for no last name`,
        change: { '/person/lastName': value },
        warned: ['/person/lastName SINGLE_NAME'],
      })),
      {
        what: 'a hyphen, with a FAILED decision',
        change: { '/decision': 'FAILED', '/person/lastName': '-' },
        warned: ['/person/lastName SINGLE_NAME'],
      },
      ...['', null, REMOVED, '-'].map((value) => ({
        what: `${typeof value === 'symbol' ? 'no' : JSON.stringify(value)} last name, with allowAbsentLastName`,
        change: { '/person/lastName': value },
        policy: { allowAbsentLastName: true },
        warned: ['/person/lastName SINGLE_NAME'],
      })),
    ],
  },
  {
    heading: 'Accepted with a remark: addresses',
    rows: [
      ...(
        [
          ['PR', '00901', 'San Juan'],
          ['GU', '96910', 'Hagåtña'],
          ['VI', '00802', 'Charlotte Amalie'],
          ['AS', '96799', 'Pago Pago'],
          ['MP', '96950', 'Saipan'],
        ] as const
      ).map(([countryCode, postalCode, city]) => ({
        what: `${countryCode} as country code`,
        change: { [A]: { streetLine1: '5 Calle Luna', city, postalCode, countryCode } },
        warned: [`${A}/countryCode US_TERRITORY_AS_COUNTRY`],
      })),
      ...['XK', 'ZZ', 'AA', 'QM'].map((code) => ({
        what: `${code} with extraCountries`,
        change: { [A]: { streetLine1: 'Rr. Shembull 5', city: 'Prishtinë', countryCode: code } },
        policy: { extraCountries: ['XK', 'ZZ', 'AA', 'QM'] },
        warned: [`${A}/countryCode COUNTRY_USER_ASSIGNED`],
      })),
      {
        what: 'XK as country that issued the document, with extraCountries',
        change: { [`${D}/issuingCountryCode`]: 'XK' },
        policy: { extraCountries: ['XK'] },
        warned: [`${D}/issuingCountryCode COUNTRY_USER_ASSIGNED`],
      },
      {
        what: 'a Finnish PO box in line 2',
        change: { [A]: { streetLine1: 'Esimerkkikatu 5', streetLine2: 'PL 12', city: 'Helsinki', countryCode: 'FI' } },
        warned: [`${A}/streetLine2 PO_BOX_IN_LINE_2`],
      },
      {
        what: 'a private mailbox',
        change: { [`${A}/streetLine1`]: '123 Main St PMB 456' },
        warned: [`${A}/streetLine1 PRIVATE_MAILBOX`],
      },
      {
        what: 'a private mailbox in line 2',
        change: { [`${A}/streetLine2`]: 'PMB #456' },
        warned: [`${A}/streetLine2 PRIVATE_MAILBOX`],
      },
      {
        what: 'a PO box in line 2',
        change: { [`${A}/streetLine2`]: 'PO Box 5' },
        warned: [`${A}/streetLine2 PO_BOX_IN_LINE_2`],
      },
    ],
  },
  {
    heading: 'Accepted with a remark: time of the decision',
    rows: [
      {
        what: 'no offset',
        change: { '/decisionedAt': '2026-01-05T10:00:00' },
        warned: ['/decisionedAt TIME_ZONE_ASSUMED_UTC'],
      },
      {
        what: 'no offset, with fraction',
        change: { '/decisionedAt': '2026-01-05T10:00:00.123456' },
        warned: ['/decisionedAt TIME_ZONE_ASSUMED_UTC'],
      },
      ...[
        '2026-01-05T10:00',
        '2026-01-05T10',
        '2026-01-05 10:00:00',
        '2026-01-05 10:00:00.0',
        '2026-01-05 10:00:00,123',
        '2026-01-05T10:00:00.1234567',
        '20260105T100000',
        '20260105T1000',
      ].map((value) => ({
        what: `no offset: ${value}`,
        change: { '/decisionedAt': value },
        warned: ['/decisionedAt TIME_ZONE_ASSUMED_UTC'],
      })),
      {
        what: 'three years old',
        change: { '/decisionedAt': '2023-01-05T10:00:00Z' },
        warned: ['/decisionedAt STALE_DECISION'],
      },
      {
        what: 'three years old and without offset',
        change: { '/decisionedAt': '2023-01-05T10:00:00' },
        warned: ['/decisionedAt TIME_ZONE_ASSUMED_UTC', '/decisionedAt STALE_DECISION'],
      },
      {
        what: 'on the day of birth, 130 years ago',
        change: { '/decisionedAt': '1896-01-05T10:00:00Z', '/person/dateOfBirth': '1896-01-06' },
        warned: ['/decisionedAt STALE_DECISION'],
      },
      {
        what: 'older than a policy of 30 days',
        change: { '/decisionedAt': '2025-12-01T10:00:00Z' },
        policy: { maxDecisionAgeDays: 30 },
        warned: ['/decisionedAt STALE_DECISION'],
      },
    ],
  },
  {
    heading: 'Accepted with a remark: evidence that contradicts the decision, recorded as sent',
    rows: [
      {
        what: 'PASSED with a FAILED document',
        change: { [`${D}/status`]: 'FAILED' },
        warned: ['/decision DECISION_EVIDENCE_MISMATCH'],
      },
      {
        what: 'PASSED with a FAILED ssn section',
        change: { '/verifications/ssn/status': 'FAILED' },
        warned: ['/decision DECISION_EVIDENCE_MISMATCH'],
      },
      {
        what: 'PASSED with a FAILED check',
        change: { [`${D}/checks`]: [{ name: 'face_match', status: 'FAILED' }] },
        warned: ['/decision DECISION_EVIDENCE_MISMATCH'],
      },
      {
        what: 'PASSED with a FAILED check of the database',
        change: {
          '/verifications': {
            database: { verificationId: 'db-1', status: 'PASSED', checks: [{ name: 'watchlist', status: 'FAILED' }] },
          },
        },
        warned: ['/decision DECISION_EVIDENCE_MISMATCH'],
      },
      {
        what: 'an expired document',
        change: { [`${D}/expirationDate`]: '2026-01-03' },
        warned: [`${D}/expirationDate DOCUMENT_EXPIRED`],
      },
      {
        what: 'a score of 0.85',
        change: { [`${D}/confidenceScore`]: 0.85 },
        warned: [`${D}/confidenceScore CONFIDENCE_SCALE_SUSPECT`],
      },
    ],
  },
  {
    heading: 'A FAILED decision may be about the very thing: impossible numbers and dates are remarks there',
    rows: [
      ...['000-12-1120', '666-12-1120', '900-70-1120', '078-00-1120'].map((value) => ({
        what: `SSN ${value}`,
        change: { '/decision': 'FAILED', '/person/ssn': value },
        warned: ['/person/ssn SSN_IMPLAUSIBLE'],
      })),
      {
        what: 'SSN 000-00-0001, and the number 1 in data',
        change: {
          '/decision': 'FAILED',
          '/person/ssn': '000-00-0001',
          '/person/ssnLast4': '0001',
          '/externalProviderData': { attempts: 1, note: 'attempt 1', list: [1] },
        },
        warned: ['/person/ssn SSN_IMPLAUSIBLE'],
      },
      ...(
        [
          ['000-00-0000', { counts: [0, 0, 0] }],
          ['000-00-0000', { attempts: 0, hits: 0 }],
          ['000-00-0000', { at: '2026-01-05T00:00:00.000Z' }],
          ['000-00-0000', { score: '0.00000000' }],
          ['000-00-0000', { text: '{"counts":[0,0,0]}', encoded: '%30%2E%30%30%30%30%30%30%30%30' }],
          ['000-00-0001', { rate: '0.00000001', list: [0, 0, 1], backwards: '1.00000000' }],
          ['000-01-2345', { ms: 12345, list: [0, 12345] }],
        ] as const
      ).map(([value, data]) => ({
        what: `SSN ${value}, and ${JSON.stringify(data)} in data`,
        change: {
          '/decision': 'FAILED',
          '/person/ssn': value,
          '/person/ssnLast4': value.slice(-4),
          '/verifications/ssn/ssnData': data,
          '/externalProviderData': data,
        },
        warned: ['/person/ssn SSN_IMPLAUSIBLE'],
      })),
      {
        what: 'a number from advertising, with rejectKnownSampleSsns',
        change: { '/decision': 'FAILED' },
        policy: { rejectKnownSampleSsns: true },
        warned: ['/person/ssn SSN_IMPLAUSIBLE'],
      },
      {
        what: 'expired before it was issued',
        change: { '/decision': 'FAILED', [`${D}/expirationDate`]: '2020-05-31' },
        warned: [`${D}/expirationDate DATES_IMPLAUSIBLE`],
      },
      {
        what: 'issued before birth',
        change: { '/decision': 'FAILED', [`${D}/issueDate`]: '1985-04-11' },
        warned: [`${D}/issueDate DATES_IMPLAUSIBLE`],
      },
      {
        what: 'issued in the future',
        change: { '/decision': 'FAILED', [`${D}/issueDate`]: '2027-01-01' },
        warned: [`${D}/issueDate DATES_IMPLAUSIBLE`],
      },
      {
        what: 'born in 1850',
        change: { '/decision': 'FAILED', '/person/dateOfBirth': '1850-01-01' },
        warned: ['/person/dateOfBirth DATES_IMPLAUSIBLE'],
      },
      {
        what: 'born tomorrow',
        change: {
          '/decision': 'FAILED',
          '/person/dateOfBirth': '2026-01-07',
          [`${D}/issueDate`]: REMOVED,
          '/decisionedAt': REMOVED,
        },
        warned: ['/person/dateOfBirth DATES_IMPLAUSIBLE'],
      },
      {
        what: 'decided before birth',
        change: { '/decision': 'FAILED', '/decisionedAt': '1985-04-10T00:00:00Z' },
        warned: ['/decisionedAt DATES_IMPLAUSIBLE'],
      },
    ],
  },
  {
    heading: 'With lenientOnFailed, a FAILED decision may lack what is its reason',
    rows: (
      [
        ['a PO box', { [`${A}/streetLine1`]: 'PO Box 9' }, [`${A}/streetLine1`]],
        ['a ZIP+4', { [`${A}/postalCode`]: '62701-1234' }, [`${A}/postalCode`]],
        ['no ZIP', { [`${A}/postalCode`]: REMOVED }, [`${A}/postalCode`]],
        ['an empty ZIP', { [`${A}/postalCode`]: '' }, [`${A}/postalCode`]],
        ['a blank ZIP', { [`${A}/postalCode`]: '-' }, [`${A}/postalCode`]],
        ['no state', { [`${A}/subdivision`]: null }, [`${A}/subdivision`]],
        ['a state as words', { [`${A}/subdivision`]: 'Illinois' }, [`${A}/subdivision`]],
        ['no street', { [`${A}/streetLine1`]: REMOVED }, [`${A}/streetLine1`]],
        ['an empty street', { [`${A}/streetLine1`]: '' }, [`${A}/streetLine1`]],
        ['no city', { [`${A}/city`]: REMOVED }, [`${A}/city`]],
        ['no country', { [`${A}/countryCode`]: REMOVED }, [`${A}/countryCode`]],
        ['a country of three letters', { [`${A}/countryCode`]: 'USA' }, [`${A}/countryCode`]],
        ['a user-assigned country', { [`${A}/countryCode`]: 'XK' }, [`${A}/countryCode`]],
        ['no address', { [A]: REMOVED }, [A]],
        ['an empty address', { [A]: {} }, [`${A}/streetLine1`, `${A}/city`, `${A}/countryCode`]],
        ['no document number', { [`${D}/documentNumber`]: REMOVED }, [`${D}/documentNumber`]],
        ['an empty document number', { [`${D}/documentNumber`]: '' }, [`${D}/documentNumber`]],
        ['an unreadable document number', { [`${D}/documentNumber`]: '???' }, [`${D}/documentNumber`]],
        ['an ssn section without SSN', { '/person/ssn': REMOVED }, ['/person/ssn']],
        ['an ssn section with an empty SSN', { '/person/ssn': '' }, ['/person/ssn']],
        [
          'an ssn section with neither',
          { '/person/ssn': REMOVED, '/person/ssnLast4': REMOVED },
          ['/person/ssn', '/person/ssnLast4'],
        ],
      ] as const
    ).map(([what, change, pointers]) => ({
      what,
      change: { '/decision': 'FAILED', ...change },
      policy: { lenientOnFailed: true },
      warned: pointers.map((pointer) => `${pointer} ACCEPTED_ON_FAILED`),
    })),
  },
  {
    heading: 'Accepted with a remark: personal data of the provider that the typed fields do not carry',
    rows: [
      ...(
        [
          ['an email address', { contact: 'jonas@example.org' }, '/contact'],
          ['an email address in a sentence', { note: 'Sent to jonas@example.org.' }, '/note'],
          ['an email address beside the typed one', { to: 'maria.sample@example.com, jonas@example.org' }, '/to'],
          ['an email address deep inside', { a: [{ b: 'jonas@example.org' }] }, '/a/0/b'],
          ['an international phone number', { x: '+442079460958' }, '/x'],
          ['an international phone number with spaces', { x: '+44 20 7946 0958' }, '/x'],
          ['a phone number in a sentence', { x: 'Called (202) 555-0199 twice' }, '/x'],
          ['a phone number with dashes', { x: '202-555-0199' }, '/x'],
          ['bare digits under phone', { phone: '2025550199' }, '/phone'],
          ['bare digits under a contact number', { contactNumber: '2025550199' }, '/contactNumber'],
          ['bare digits under a contact number', { contact_number: '2025550199' }, '/contact_number'],
          ['bare digits under a numbered phone', { phone1: '2025550199' }, '/phone1'],
          ['bare digits under a numbered phone', { phone_2: '2025550199' }, '/phone_2'],
          ['bare digits under a format of phones', { phoneE164: '442079460958' }, '/phoneE164'],
          ['bare digits under a phone of a kind', { mobilePhone1: '2025550199' }, '/mobilePhone1'],
          ['bare digits under WhatsApp', { whatsApp: '442079460958' }, '/whatsApp'],
          ['bare digits under a Spanish phone', { telefonoMovil: '612345678' }, '/telefonoMovil'],
          ['bare digits under a German phone', { telefon: '03012345678' }, '/telefon'],
          ['bare digits under a Portuguese phone', { celular: '11912345678' }, '/celular'],
          ['a number under mobileNumber', { mobileNumber: 2025550199 }, '/mobileNumber'],
          ['a passport number', { passportNumber: 'Y7654321' }, '/passportNumber'],
          ['a passport number under passport_no', { passport_no: '765432109' }, '/passport_no'],
          ['a passport number in a sentence', { note: 'Passport no. Y7654321 seen' }, '/note'],
          ['a licence number', { driver_license: 'D765-4321' }, '/driver_license'],
          ['an address', { address: '9 Example Street, Otherville' }, '/address'],
          ['an address under homeAddress', { homeAddress: 'Beispielweg 5, 10115 Berlin' }, '/homeAddress'],
          ['a line of an address', { address: { line1: '9 Example Street' } }, '/address/line1'],
          ['an address in a sentence', { note: 'Moved to 9 Example Street last year' }, '/note'],
        ] as const
      ).map(([what, value, pointer]) => ({
        what,
        change: { '/externalProviderData': value },
        warned: [`/externalProviderData${pointer} PII_BEYOND_TYPED_FIELDS`],
      })),
      {
        what: 'an email address where the typed fields have none',
        change: { '/person/emailAddress': REMOVED, '/externalProviderData': { x: 'maria.sample@example.com' } },
        warned: ['/externalProviderData/x PII_BEYOND_TYPED_FIELDS'],
      },
      {
        what: 'an email address as idempotency key',
        change: { '/externalVerificationId': 'maria.sample@example.com' },
        warned: ['/externalVerificationId ID_KEPT_IN_CLEAR'],
      },
      {
        what: 'an email address inside an idempotency key',
        change: { '/externalVerificationId': 'kyc:jonas@example.org:1' },
        warned: ['/externalVerificationId ID_KEPT_IN_CLEAR'],
      },
      {
        what: 'an email address as id of a section',
        change: { [`${D}/verificationId`]: 'jonas@example.org' },
        warned: [`${D}/verificationId ID_KEPT_IN_CLEAR`],
      },
    ],
  },
]
