import { REMOVED, type CaseGroup } from './case-row.js'

const V = '/verifications'
const D = `${V}/document`

export const refusedVerifications: readonly CaseGroup[] = [
  {
    heading: 'At least one section',
    rows: [
      { what: 'an empty object', change: { [V]: {} }, refused: [`${V} NO_VERIFICATION_SECTION`] },
      { what: 'a null section', change: { [V]: { document: null } }, refused: [`${V} NO_VERIFICATION_SECTION`] },
      {
        what: 'all sections null',
        change: { [V]: { document: null, ssn: null, database: null } },
        refused: [`${V} NO_VERIFICATION_SECTION`],
      },
      { what: 'a list', change: { [V]: [] }, refused: [`${V} TYPE`] },
      { what: 'a text', change: { [V]: '{}' }, refused: [`${V} TYPE`] },
      { what: 'null', change: { [V]: null }, refused: [`${V} REQUIRED`] },
      {
        what: 'only an unknown section',
        change: { [V]: { biometric: {} } },
        refused: [`${V} NO_VERIFICATION_SECTION`],
      },
      { what: 'a section as text', change: { [`${V}/ssn`]: 'PASSED' }, refused: [`${V}/ssn TYPE`] },
    ],
  },
  {
    heading: 'Every section: id and status',
    rows: [
      {
        what: 'document without id',
        change: { [`${D}/verificationId`]: REMOVED },
        refused: [`${D}/verificationId REQUIRED`],
      },
      {
        what: 'ssn without id',
        change: { [`${V}/ssn/verificationId`]: null },
        refused: [`${V}/ssn/verificationId REQUIRED`],
      },
      {
        what: 'database without id and status',
        change: { [`${V}/database`]: {} },
        refused: [`${V}/database/verificationId REQUIRED`, `${V}/database/status REQUIRED`],
      },
      { what: 'an empty id', change: { [`${D}/verificationId`]: '' }, refused: [`${D}/verificationId REQUIRED`] },
      ...['PENDING', 'NOT_APPLICABLE', 'passed', 'PASS', 'PASSED ', ''].map((value) => ({
        what: `status "${value}"`,
        change: { [`${D}/status`]: value },
        refused: [`${D}/status ENUM`],
      })),
      { what: 'status true', change: { [`${D}/status`]: true }, refused: [`${D}/status TYPE`] },
      {
        what: 'an ssn section without source',
        change: { [`${V}/ssn/source`]: REMOVED },
        refused: [`${V}/ssn/source REQUIRED`],
      },
    ],
  },
  {
    heading: 'Document',
    rows: [
      ...['DRIVERS_LICENSE', 'passport', 'ID_CARD', 'VISA'].map((value) => ({
        what: `class "${value}"`,
        change: { [`${D}/documentClass`]: value },
        refused: [`${D}/documentClass ENUM`],
      })),
      { what: 'no class', change: { [`${D}/documentClass`]: REMOVED }, refused: [`${D}/documentClass REQUIRED`] },
      { what: 'no number', change: { [`${D}/documentNumber`]: REMOVED }, refused: [`${D}/documentNumber REQUIRED`] },
      { what: 'only stars', change: { [`${D}/documentNumber`]: '******' }, refused: [`${D}/documentNumber FORMAT`] },
      {
        what: 'a masked number',
        change: { [`${D}/documentNumber`]: '***4567' },
        refused: [`${D}/documentNumber FORMAT`],
      },
      { what: 'one character', change: { [`${D}/documentNumber`]: 'X' }, refused: [`${D}/documentNumber FORMAT`] },
      {
        what: 'a token of the vault',
        change: { [`${D}/documentNumber`]: 'tok_document_number_0123456789abcdefghijABCDEF' },
        refused: [`${D}/documentNumber FORMAT`],
      },
      ...['us', 'USA', 'ZZ', 'UK'].map((value) => ({
        what: `issuing country "${value}"`,
        change: { [`${D}/issuingCountryCode`]: value },
        refused: [`${D}/issuingCountryCode COUNTRY_INVALID`],
      })),
      {
        what: 'no issuing country',
        change: { [`${D}/issuingCountryCode`]: REMOVED },
        refused: [`${D}/issuingCountryCode REQUIRED`],
      },
      { what: 'a section as in `document: []`', change: { [D]: [] }, refused: [`${D} TYPE`] },
      {
        what: 'an unknown field of the extracted address',
        change: { [`${D}/address`]: { line1: '22 Poplar Ave' } },
        refused: [`${D}/address UNKNOWN_FIELD`],
      },
      {
        what: 'a number in the extracted address',
        change: { [`${D}/address`]: { postalCode: 62701 } },
        refused: [`${D}/address/postalCode TYPE`],
      },
    ],
  },
  {
    heading: 'Confidence score: 0 to 100',
    rows: [
      { what: '-0.1', change: { [`${D}/confidenceScore`]: -0.1 }, refused: [`${D}/confidenceScore RANGE`] },
      { what: '-1', change: { [`${D}/confidenceScore`]: -1 }, refused: [`${D}/confidenceScore RANGE`] },
      { what: '100.0001', change: { [`${D}/confidenceScore`]: 100.0001 }, refused: [`${D}/confidenceScore RANGE`] },
      { what: '101', change: { [`${D}/confidenceScore`]: 101 }, refused: [`${D}/confidenceScore RANGE`] },
      { what: '"85"', change: { [`${D}/confidenceScore`]: '85' }, refused: [`${D}/confidenceScore TYPE`] },
      { what: 'true', change: { [`${D}/confidenceScore`]: true }, refused: [`${D}/confidenceScore TYPE`] },
      { what: '2^53', change: { [`${D}/confidenceScore`]: 2 ** 53 }, refused: [`${D}/confidenceScore UNSAFE_NUMBER`] },
    ],
  },
  {
    heading: 'Dates of the document',
    rows: [
      ...['issueDate', 'expirationDate'].flatMap((field) =>
        ['2023-02-29', '06/01/2020', '2020-06-01T00:00:00Z', ' ', '2020-06'].map((value) => ({
          what: `${field} "${value}"`,
          change: { [`${D}/${field}`]: value },
          refused: [`${D}/${field} DATE_INVALID`],
        })),
      ),
      {
        what: 'expired before it was issued',
        change: { [`${D}/expirationDate`]: '2020-05-31' },
        refused: [`${D}/expirationDate INCONSISTENT_DATES`],
      },
      {
        what: 'issued before the person was born',
        change: { [`${D}/issueDate`]: '1985-04-11' },
        refused: [`${D}/issueDate INCONSISTENT_DATES`],
      },
      {
        what: 'issued the day after tomorrow',
        change: { [`${D}/issueDate`]: '2026-01-08' },
        refused: [`${D}/issueDate DATE_IN_FUTURE`],
      },
    ],
  },
  {
    heading: 'An empty text stands for an absent text only, never for a section, a list, a number or a required text',
    rows: (
      [
        [`${V}/document`, 'TYPE'],
        [`${V}/ssn`, 'TYPE'],
        [`${V}/database`, 'TYPE'],
        [V, 'TYPE'],
        [`${D}/address`, 'TYPE'],
        [`${D}/photos`, 'TYPE'],
        [`${D}/checks`, 'TYPE'],
        [`${D}/confidenceScore`, 'TYPE'],
        [`${D}/documentData`, 'TYPE'],
        ['/person/personData', 'TYPE'],
        ['/externalProviderData', 'TYPE'],
        [`${D}/documentNumber`, 'REQUIRED'],
        [`${D}/verificationId`, 'REQUIRED'],
        [`${D}/documentClass`, 'ENUM'],
        [`${V}/ssn/source`, 'REQUIRED'],
      ] as const
    ).map(([pointer, code]) => ({ what: pointer, change: { [pointer]: '' }, refused: [`${pointer} ${code}`] })),
  },
  {
    heading: 'Checks',
    rows: [
      ...['FaceMatch', 'face-match', 'face match', '_x', 'x_', 'x__y', 'fäce', 'face.match', 'FACE'].map((value) => ({
        what: `name "${value}"`,
        change: { [`${D}/checks`]: [{ name: value, status: 'PASSED' }] },
        refused: [`${D}/checks/0/name FORMAT`],
      })),
      {
        what: 'a name of 101 characters',
        change: { [`${D}/checks`]: [{ name: 'a'.repeat(101), status: 'PASSED' }] },
        refused: [`${D}/checks/0/name TOO_LONG`],
      },
      {
        what: 'no name',
        change: { [`${D}/checks`]: [{ status: 'PASSED' }] },
        refused: [`${D}/checks/0/name REQUIRED`],
      },
      ...['PASS', 'passed', 'N/A', 'UNKNOWN'].map((value) => ({
        what: `status "${value}"`,
        change: {
          [`${V}/ssn/checks`]: [
            { name: 'ok', status: 'PASSED' },
            { name: 'x', status: value },
          ],
        },
        refused: [`${V}/ssn/checks/1/status ENUM`],
      })),
      {
        what: 'no status',
        change: { [`${D}/checks`]: [{ name: 'face_match' }] },
        refused: [`${D}/checks/0/status REQUIRED`],
      },
      {
        what: 'an object for the list',
        change: { [`${D}/checks`]: { face_match: 'PASSED' } },
        refused: [`${D}/checks TYPE`],
      },
      { what: 'a text in the list', change: { [`${D}/checks`]: ['face_match'] }, refused: [`${D}/checks/0 TYPE`] },
      { what: 'null in the list', change: { [`${D}/checks`]: [null] }, refused: [`${D}/checks/0 TYPE`] },
      {
        what: 'a reason as text',
        change: { [`${D}/checks`]: [{ name: 'a', status: 'FAILED', reasons: 'blurred' }] },
        refused: [`${D}/checks/0/reasons TYPE`],
      },
      {
        what: 'reasons as objects',
        change: { [`${D}/checks`]: [{ name: 'a', status: 'FAILED', reasons: [{ code: 1 }] }] },
        refused: [`${D}/checks/0/reasons/0 TYPE`],
      },
      {
        what: 'an unknown field',
        change: { [`${D}/checks`]: [{ name: 'a', status: 'FAILED', score: 3 }] },
        refused: [`${D}/checks/0 UNKNOWN_FIELD`],
      },
      {
        what: '501 of them',
        change: { [`${D}/checks`]: Array.from({ length: 501 }, () => ({ name: 'a', status: 'PASSED' })) },
        refused: [`${D}/checks TOO_LONG`],
      },
    ],
  },
  {
    heading: 'Photos: HTTPS, a public name, a port of the web, no user information',
    rows: [
      { what: 'an empty object', change: { [`${D}/photos`]: {} }, refused: [`${D}/photos/front REQUIRED`] },
      {
        what: 'only a selfie',
        change: { [`${D}/photos`]: { selfie: 'https://photos.example.com/s' } },
        refused: [`${D}/photos/front REQUIRED`],
      },
      { what: 'a list', change: { [`${D}/photos`]: ['https://photos.example.com/f'] }, refused: [`${D}/photos TYPE`] },
      {
        what: 'another side',
        change: { [`${D}/photos`]: { front: 'https://photos.example.com/f', left: 'https://photos.example.com/l' } },
        refused: [`${D}/photos UNKNOWN_FIELD`],
      },
      ...[
        'http://photos.example.com/f',
        'ftp://photos.example.com/f',
        'data:image/png;base64,iVBORw0KGgo=',
        'file:///etc/passwd',
        'javascript:alert(1)',
        '//photos.example.com/f',
        'photos.example.com/f',
        'https:photos.example.com/f',
        'https:///photos.example.com/f',
        'https://user:secret@photos.example.com/f',
        'https://user@photos.example.com/f',
        'https://:secret@photos.example.com/f',
        'https://@photos.example.com/f',
        'https://:@photos.example.com/f',
        'https://127.0.0.1/f',
        'https://127.1/f',
        'https://0x7f000001/f',
        'https://2130706433/f',
        'https://①②⑦.0.0.1/f',
        'https://10.0.0.8/f',
        'https://169.254.169.254/latest/meta-data',
        'https://203.0.113.9/f',
        'https://[::1]/f',
        'https://[::ffff:169.254.169.254]/f',
        'https://localhost/f',
        'https://localhost./f',
        'https://api.localhost/f',
        'https://intranet/f',
        'https://printer.local/f',
        'https://metadata.google.internal/f',
        'https://photos.example.com\\@evil.example/f',
        'https://photos.example.com/a b',
        ' https://photos.example.com/f',
        'https://exa mple.com/f',
        'https://photos.example/f',
        'https://photos.test/f',
        'https://photos.invalid/f',
        'https://photos.onion/f',
        'https://photos.home.arpa/f',
        'https://photos.corp/f',
        'https://photos.lan/f',
        'https://app.localhost/f',
        'https://photos.my_example.com/f',
        'https://photos.example.c_m/f',
        'https://-photos.example.com/f',
        'https://photos..example.com/f',
        `https://${'a'.repeat(64)}.example.com/f`,
        'https://photos.example.com:99999/f',
        'https://photos.example.com:0/f',
        'https://photos.example.com:22/f',
        'https://photos.example.com:80/f',
        'https://photos.example.com:1023/f',
        'https://photos.example.com:6000/f',
        'https://',
      ].map((value) => ({
        what: `"${value}"`,
        change: { [`${D}/photos`]: { front: value } },
        refused: [`${D}/photos/front PHOTO_URL_INVALID`],
      })),
      {
        what: 'a tab inside',
        change: { [`${D}/photos`]: { front: 'https://photos.example.com/\tf' } },
        refused: [`${D}/photos/front CONTROL_CHARACTER`],
      },
      {
        what: '4097 characters',
        change: { [`${D}/photos`]: { front: `https://photos.example.com/${'a'.repeat(4070)}` } },
        refused: [`${D}/photos/front TOO_LONG`],
      },
      {
        what: 'a bad back side',
        change: { [`${D}/photos`]: { front: 'https://photos.example.com/f', back: 'http://photos.example.com/b' } },
        refused: [`${D}/photos/back PHOTO_URL_INVALID`],
      },
      {
        what: 'a bad selfie',
        change: { [`${D}/photos`]: { front: 'https://photos.example.com/f', selfie: 'http://photos.example.com/s' } },
        refused: [`${D}/photos/selfie PHOTO_URL_INVALID`],
      },
    ],
  },
  {
    heading: 'What the contract states is refused for a FAILED decision too',
    rows: (
      [
        ['a PO box', { '/person/address/streetLine1': 'PO Box 9' }, '/person/address/streetLine1 PO_BOX'],
        ['no ZIP', { '/person/address/postalCode': REMOVED }, '/person/address/postalCode REQUIRED'],
        ['a ZIP+4', { '/person/address/postalCode': '62701-1234' }, '/person/address/postalCode POSTAL_CODE_INVALID'],
        ['no state', { '/person/address/subdivision': REMOVED }, '/person/address/subdivision REQUIRED'],
        [
          'a country of three letters',
          { '/person/address/countryCode': 'USA' },
          '/person/address/countryCode COUNTRY_INVALID',
        ],
        ['no address', { '/person/address': REMOVED }, '/person/address REQUIRED'],
        ['no document number', { [`${D}/documentNumber`]: REMOVED }, `${D}/documentNumber REQUIRED`],
        ['an unreadable document number', { [`${D}/documentNumber`]: '???' }, `${D}/documentNumber FORMAT`],
        ['an ssn section without SSN', { '/person/ssn': REMOVED }, '/person/ssn SSN_REQUIRED'],
        ['a masked SSN', { '/person/ssn': '***-**-1120' }, '/person/ssn SSN_MASKED_OR_PARTIAL'],
        ['other last four', { '/person/ssnLast4': '1121' }, '/person/ssnLast4 SSN_LAST4_MISMATCH'],
        ['a day that does not exist', { '/person/dateOfBirth': '1985-02-30' }, '/person/dateOfBirth DATE_INVALID'],
        ['no first name', { '/person/firstName': REMOVED }, '/person/firstName REQUIRED'],
      ] as const
    ).map(([what, change, refused]) => ({ what, change: { '/decision': 'FAILED', ...change }, refused: [refused] })),
  },
  {
    heading: 'What lenientOnFailed does not accept',
    rows: (
      [
        [
          'a PO box with a PASSED decision',
          { '/decision': 'PASSED', '/person/address/streetLine1': 'PO Box 9' },
          '/person/address/streetLine1 PO_BOX',
        ],
        [
          'no document number with a PASSED decision',
          { '/decision': 'PASSED', [`${D}/documentNumber`]: REMOVED },
          `${D}/documentNumber REQUIRED`,
        ],
        [
          'an ssn section without SSN with a PASSED decision',
          { '/decision': 'PASSED', '/person/ssn': REMOVED },
          '/person/ssn SSN_REQUIRED',
        ],
        ['an address as text', { '/person/address': 'x' }, '/person/address TYPE'],
        ['a ZIP as number', { '/person/address/postalCode': 62701 }, '/person/address/postalCode TYPE'],
        ['an unknown field of the address', { '/person/address/county': 'x' }, '/person/address UNKNOWN_FIELD'],
        ['a right-to-left override', { '/person/address/city': 'a\u202eb' }, '/person/address/city CONTROL_CHARACTER'],
        ['a city of 256 characters', { '/person/address/city': 'a'.repeat(256) }, '/person/address/city TOO_LONG'],
        [
          'a city of 256 characters, beside a street line that is missing',
          { '/person/address/city': 'a'.repeat(256), '/person/address/streetLine1': REMOVED },
          '/person/address/city TOO_LONG',
        ],
        [
          'a document number of 65 characters',
          { [`${D}/documentNumber`]: 'A'.repeat(65) },
          `${D}/documentNumber TOO_LONG`,
        ],
        ['a masked SSN', { '/person/ssn': '***-**-1120' }, '/person/ssn SSN_MASKED_OR_PARTIAL'],
        ['an SSN without its last four', { '/person/ssnLast4': REMOVED }, '/person/ssnLast4 SSN_LAST4_REQUIRED'],
        ['a document without country', { [`${D}/issuingCountryCode`]: REMOVED }, `${D}/issuingCountryCode REQUIRED`],
        ['no last name', { '/person/lastName': REMOVED }, '/person/lastName REQUIRED'],
        [
          'a country code of 1,001 characters',
          { '/person/address/countryCode': 'A'.repeat(1001) },
          '/person/address/countryCode TOO_LONG',
        ],
        [
          'the submitted SSN in the country code',
          { '/person/address/countryCode': '078-05-1120' },
          '/person/address/countryCode CLEAR_PII_IN_FREE_FORM',
        ],
        [
          'a user-assigned country that issued the document',
          { [`${D}/issuingCountryCode`]: 'XK' },
          `${D}/issuingCountryCode COUNTRY_INVALID`,
        ],
      ] as const
    ).map(([what, change, refused]) => ({
      what,
      change: { '/decision': 'FAILED', ...change },
      policy: { lenientOnFailed: true },
      refused: [refused],
    })),
  },
]
