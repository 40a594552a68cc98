import { REMOVED, type CaseGroup, type CaseRow } from './case-row.js'

const DATA = '/externalProviderData'

const row = (what: string, value: CaseRow['change'][string], pointer = `${DATA}/x`): CaseRow => ({
  what,
  change: { [`${DATA}/x`]: value },
  refused: [`${pointer} CLEAR_PII_IN_FREE_FORM`],
})

const MRZ_1 = 'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<'
const MRZ_2 = 'L898902C36UTO7408122F1204159ZE184226B<<<<<10'

export const refusedFreeForm: readonly CaseGroup[] = [
  {
    heading: 'The submitted SSN, in any spelling',
    rows: [
      row('with dashes', '078-05-1120'),
      row('digits only', '078051120'),
      row('with spaces', '078 05 1120'),
      row('with full stops', '078.05.1120'),
      row('with slashes', '078/05/1120'),
      row('digit by digit', '0 7 8 0 5 1 1 2 0'),
      row('far apart', '078  --  05  --  1120'),
      row('as far apart as is still found', `078${'-'.repeat(8)}051120`),
      row('with long dashes', '078–05–1120'),
      row('with non-breaking spaces', '078\u00a005\u00a01120'),
      row('with zero-width spaces', '078\u200b05\u200b1120'),
      row('in full-width digits', '０７８０５１１２０'),
      row('in Arabic digits', '٠٧٨٠٥١١٢٠'),
      row('in Devanagari digits', '०७८०५११२०'),
      row('in a sentence', 'The number 078-05-1120 matched.'),
      row('behind a letter', 'SSN078051120'),
      row('with text right behind it', '078051120abc'),
      row('over two lines', '078-05\n1120'),
      row('as JSON number', 78051120),
      row('as negative number', -78051120),
      row('deep inside', { a: [{ b: [1, ['x', '078-05-1120']] }] }, `${DATA}/x/a/0/b/1/1`),
      row('as a key, which is not repeated in the pointer', { '078-05-1120': true }, `${DATA}/x`),
      row('inside a key', { 'ssn 078051120': true }, `${DATA}/x`),
      ...(
        [
          ['/decisionReason', 'SSN 078-05-1120 mismatch'],
          ['/person/personData', { tin: '078051120' }],
          ['/verifications/document/documentData', { tin: '078051120' }],
          ['/verifications/ssn/ssnData', { tin: '078051120' }],
          ['/verifications/document/verificationId', 'doc 078051120'],
          ['/verifications/ssn/verificationId', '078051120'],
          ['/verifications/ssn/source', '078051120'],
        ] as const
      ).map(([pointer, value]) => ({
        what: `in ${pointer}`,
        change: { [pointer]: value },
        refused: [`${pointer}${typeof value === 'string' ? '' : '/tin'} CLEAR_PII_IN_FREE_FORM`],
      })),
      {
        what: 'in a reason',
        change: {
          '/verifications/document/checks': [
            { name: 'a', status: 'FAILED', reasons: ['fine', 'no 078-05-1120 found'] },
          ],
        },
        refused: ['/verifications/document/checks/0/reasons/1 CLEAR_PII_IN_FREE_FORM'],
      },
      {
        what: 'in the name of a check',
        change: { '/verifications/document/checks': [{ name: 'ssn_078051120', status: 'PASSED' }] },
        refused: ['/verifications/document/checks/0/name CLEAR_PII_IN_FREE_FORM'],
      },
      {
        what: 'in the database section',
        change: {
          '/verifications/database': { verificationId: 'db-1', status: 'PASSED', databaseData: { hit: '078051120' } },
        },
        refused: ['/verifications/database/databaseData/hit CLEAR_PII_IN_FREE_FORM'],
      },
    ],
  },
  {
    heading: 'The submitted document number (six characters or more)',
    rows: [
      row('as it is', 'X1234567'),
      row('in lower case', 'x1234567'),
      row('with spaces', 'X 123 4567'),
      row('with dashes', 'X-1234-567'),
      row('in a sentence', 'Passport (X1234567) is genuine.'),
      row('as a key', { X1234567: 1 }, `${DATA}/x`),
      {
        what: 'of exactly six characters',
        change: { '/verifications/document/documentNumber': 'X12345', [`${DATA}/x`]: 'no. X12345' },
        refused: [`${DATA}/x CLEAR_PII_IN_FREE_FORM`],
      },
      {
        what: 'sent with separators, found without',
        change: { '/verifications/document/documentNumber': 'D400-7836-0001', [`${DATA}/x`]: 'D40078360001' },
        refused: [`${DATA}/x CLEAR_PII_IN_FREE_FORM`],
      },
      {
        what: 'all digits, found as JSON number without its leading zero',
        change: { '/verifications/document/documentNumber': '012345678', [`${DATA}/x`]: 12345678 },
        refused: [`${DATA}/x CLEAR_PII_IN_FREE_FORM`],
      },
    ],
  },
  {
    heading: "Somebody else's SSN",
    rows: [
      row('with dashes', '219-09-9999'),
      row('in a sentence', 'Found 219-09-9999, which differs.'),
      row('in brackets', '(219-09-9999)'),
      {
        what: 'in the reason of the decision',
        change: { '/decisionReason': 'SSN 219-09-9999 mismatch' },
        refused: ['/decisionReason CLEAR_PII_IN_FREE_FORM'],
      },
      {
        what: 'nine digits under a key in full-width letters, which is not repeated',
        change: { '/externalProviderData': { ｓｓｎ: '219099999' } },
        refused: ['/externalProviderData CLEAR_PII_IN_FREE_FORM'],
      },
      ...(
        [
          ['ssn', '219099999'],
          ['SSN', '219 09 9999'],
          ['ssn', 219099999],
          ['applicantSsn', '219099999'],
          ['applicantSSN', '219099999'],
          ['ssn_full', '219.09.9999'],
          ['ssn9', '219099999'],
          ['applicant_ssn9', '219099999'],
          ['USERSSN', '219099999'],
          ['fullssn', '219099999'],
          ['social_security_number', '219099999'],
          ['socialSecurityNumber', '219099999'],
          ['tax_id', '219099999'],
          ['taxId', '219099999'],
          ['TaxID', '219-099999'],
          ['itin', '900701234'],
          ['tin', '219099999'],
          ['taxpayer-identification-number', '219099999'],
        ] as const
      ).map(([key, value]) => ({
        what: `nine digits under ${key}`,
        change: { [`${DATA}/${key}`]: value },
        refused: [`${DATA}/${key} CLEAR_PII_IN_FREE_FORM`],
      })),
      {
        what: 'nine digits in a list under ssn',
        change: { [`${DATA}/ssn`]: ['219099999'] },
        refused: [`${DATA}/ssn/0 CLEAR_PII_IN_FREE_FORM`],
      },
      {
        what: 'nine digits as value of an ssn object',
        change: { [`${DATA}/ssn`]: { value: '219099999' } },
        refused: [`${DATA}/ssn/value CLEAR_PII_IN_FREE_FORM`],
      },
    ],
  },
  {
    heading: 'What a document prints for machines',
    rows: [
      row('a passport line', MRZ_1),
      row('the second line', MRZ_2),
      row('both lines', `${MRZ_1}\n${MRZ_2}`),
      row('both lines in one', MRZ_1 + MRZ_2),
      row(
        'an identity card',
        'I<UTOD231458907<<<<<<<<<<<<<<<\n7408122F1204159UTO<<<<<<<<<<<6\nERIKSSON<<ANNA<MARIA<<<<<<<<<<',
      ),
      row('in lower case', MRZ_1.toLowerCase()),
      row('the barcode of a licence', '@\n\u001e\rANSI 636000100002DL00410278ZV03190008DLDAQT64235789'),
      row('its printable part', 'ANSI 636020080002DL00410278'),
      row('its fields without header', 'DAQT64235789\nDCSSAMPLE\nDDEN\nDACMICHAEL\nDBB06061986'),
      row('AAMVA header of old licences', 'AAMVA6360030101DL'),
    ],
  },
  {
    heading: 'Card numbers',
    rows: [
      row('16 digits', '4111111111111111'),
      row('in groups of four', '4111 1111 1111 1111'),
      row('with dashes', '4111-1111-1111-1111'),
      row('Mastercard', '5555555555554444'),
      row('Mastercard, 2-series', '2223003122003222'),
      row('American Express', '378282246310005'),
      row('American Express in groups', '3782 822463 10005'),
      row('Diners Club', '30569309025904'),
      row('Discover', '6011111111111117'),
      row('JCB', '3530111333300000'),
      row('UnionPay', '6240008631401148'),
      row('as JSON number', 4111111111111111),
      row('in a sentence', 'Paid with 4111111111111111.'),
    ],
  },
  {
    heading: 'Images',
    rows: [
      row('a PNG as data URI', 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAf'),
      row('an SVG as data URI', 'data:image/svg+xml;utf8,<svg/>'),
      row('a scan as PDF', 'data:application/pdf;base64,JVBERi0xLjQK'),
      row('a JPEG in base64', '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQE'),
      row('a JPEG in base64url', '_9j_4AAQSkZJRgABAQEASABIAAD_2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQE'),
      row('a PNG in base64', 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk'),
      row('a PNG in base64 with line breaks', 'iVBORw0KGgoAAAANSUhE\nUgAAAAEAAAABCAYAAAAf\nFcSJAAAADUlEQVR42mNk'),
      row('a WebP in base64', 'UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA='),
      row('a GIF in base64', 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'),
      row('a HEIC in base64', 'AAAAGGZ0eXBoZWljAAAAAGhlaWNtaWYxAAAB7W1ldGEAAAAAAAAAIWhkbHI='),
      row('a TIFF in base64', 'SUkqAAgAAAAOAP4ABAABAAAAAAAAAAABBAABAAAA'),
    ],
  },
  {
    heading: 'Text and numbers that cannot be kept',
    rows: [
      { what: 'a NUL in a value', change: { [`${DATA}/x`]: 'a\u0000' }, refused: [`${DATA}/x CONTROL_CHARACTER`] },
      { what: 'a NUL in a key', change: { [`${DATA}/a\u0000b`]: 1 }, refused: [`${DATA} CONTROL_CHARACTER`] },
      {
        what: 'half a surrogate pair',
        change: { [`${DATA}/x`]: 'a\ud800' },
        refused: [`${DATA}/x ILL_FORMED_UNICODE`],
      },
      { what: 'in a key', change: { [`${DATA}/a\ud800`]: 1 }, refused: [`${DATA} ILL_FORMED_UNICODE`] },
      { what: '2^53', change: { [`${DATA}/x`]: 2 ** 53 }, refused: [`${DATA}/x UNSAFE_NUMBER`] },
      { what: '-2^53', change: { [`${DATA}/x`]: -(2 ** 53) }, refused: [`${DATA}/x UNSAFE_NUMBER`] },
      { what: '20 digits', change: { [`${DATA}/x`]: 12345678901234567000 }, refused: [`${DATA}/x UNSAFE_NUMBER`] },
      { what: '1e300', change: { [`${DATA}/x`]: 1e300 }, refused: [`${DATA}/x UNSAFE_NUMBER`] },
      {
        what: 'a text of more than 32 KiB',
        change: { [`${DATA}/x`]: 'a'.repeat(32769) },
        refused: [`${DATA}/x TOO_LONG`],
      },
      {
        what: 'a part of more than 128 KiB',
        change: { '/person/personData': { list: Array.from({ length: 9 }, () => 'a'.repeat(15000)) } },
        refused: ['/person/personData TOO_LONG'],
      },
      {
        what: 'more than 10,000 values',
        change: { [`${DATA}/x`]: Array.from({ length: 10000 }, () => 1) },
        refused: [' TOO_LONG'],
      },
      {
        what: 'more than 10,000 keys',
        change: { [`${DATA}/x`]: Object.fromEntries(Array.from({ length: 10000 }, (_, index) => [`k${index}`, 1])) },
        refused: [' TOO_LONG'],
      },
      {
        what: '33 levels',
        change: { [`${DATA}/x`]: JSON.parse(`${'['.repeat(31)}${']'.repeat(31)}`) },
        refused: [`${DATA}/x${'/0'.repeat(30)} TOO_LONG`],
      },
    ],
  },
  {
    heading: 'Several problems at once: one violation per value, all of them',
    rows: [
      {
        what: 'a bad last four, a bad ZIP, an unknown field and an SSN in the reason',
        change: {
          '/person/ssnLast4': '1121',
          '/person/address/postalCode': '6270',
          '/person/SSN': '078-05-1120',
          '/decisionReason': '078-05-1120',
          '/verifications/document/status': 'PENDING',
          '/schemaVersion': REMOVED,
        },
        refused: [
          '/decisionReason CLEAR_PII_IN_FREE_FORM',
          '/schemaVersion REQUIRED',
          '/verifications/document/status ENUM',
          '/person/ssnLast4 SSN_LAST4_MISMATCH',
          '/person/address/postalCode POSTAL_CODE_INVALID',
          '/person UNKNOWN_FIELD',
        ],
      },
    ],
  },
]
