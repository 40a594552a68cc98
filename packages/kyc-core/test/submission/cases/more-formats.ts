import type { JsonValue } from '../../../src/submission/json-value.js'
import { REMOVED, type CaseGroup } from './case-row.js'

const A = '/person/address'
const D = '/verifications/document'
const DATA = '/externalProviderData'

export const acceptedFormats: readonly CaseGroup[] = [
  {
    heading: 'More names as identity cards print them',
    rows: [
      // Clicks, decomposed
      '=\u0338Gawaseb',
      '!Nami-=\u0338N\u016bs',
      // Honorific signs
      'محمد ﵀',
      'علي ﵇',
      'الإمام ﵁ الحسن',
      // A zero among Han characters
      '〇',
      '〇〇',
      // Radicals, as a PDF gives them for the characters: 小林, 山
      '⼩林',
      '⼭',
      '⻄田',
      // Katakana
      'ジャン=ポール',
      'ｼﾞｬﾝ=ﾎﾟｰﾙ',
      'メアリ―',
      // Former family names on Japanese identity cards
      '見本[範例]',
      '見本［範例］花子',
      'Sample [Example]',
      // Cyprus
      'Χ¨Γεωργίου',
      // India
      'D/O : Ramesh',
      'C/O: Ramesh',
      // Malaysia and Singapore
      'Ong Keng Hua @Ong Ah Hua',
      'ONG @AH HUA',
      'Tan Kok@ Ah Kok',
      'R.@ Raju',
      '李 @Lee',
      'Lee @李',
      // Spaces without width: Khmer, Thai, Lao, Burmese
      'ហ៊ុន\u200bសុខ',
      'សុខ\u200b',
      'สมชาย\u200bใจดี',
      'ທ້າວ\u200bສົມ',
      'ဒေါ်\u200b\u200bခင်',
      // Degree signs of abbreviations
      'Franc° Javier',
      'Eng° Sample',
      'Jose M°',
      // Ukrainian apostrophes of registers
      'Лук*янов',
      'В*ЯЧЕСЛАВ',
      // Former and common names on forms
      '斎藤（旧姓：山田）',
      '斎藤(旧姓:山田)',
      '山田（通称：田中）',
      '王小明（曾用名：王明）',
      '山田【見本】',
      '山田〔見本〕',
    ].map((name) => ({ what: name, change: { '/person/firstName': name, '/person/lastName': name } })),
  },
  {
    heading: 'Free-form parts with the word SSN, or with digits, that hold no SSN',
    rows: [
      'SSN check 740019283 passed',
      'SSN trace: 740019283',
      'ssn:740019283',
      'ssn-740019283',
      'SSN issued 1990 in 12 months, 1234 matches',
      'SSN ending 1120',
      'SSN 000-12-3456',
      'lessn 740019283',
      '<ssn>PASSED</ssn>',
      'social security office 62701 1234',
      'SSN number of case 740019283',
      'SSN no match 740019283',
      'SSN (case 740019283)',
      'SSN - case 740019283',
      'SSN -740019283',
      'SSN no. 7400192830',
      'SSN number 000-12-3456',
      'SSN 740-019-2831',
    ].map((text) => ({ what: text, change: { [`${DATA}/x`]: text } })),
  },
  {
    heading: 'Objects under an SSN-like key that hold no SSN',
    rows: (
      [
        { ssn: { score: 219, group: 12, matches: 1234 } },
        { ssn: { issued: '1990', state: 'IL' } },
        { ssn: { first3: '219', year: '1990' } },
        { ssn: ['219', 'PASSED', '9999'] },
      ] as const
    ).map((data) => ({ what: JSON.stringify(data), change: { [DATA]: data } })),
  },
  {
    heading: 'Names and addresses with digits of the SSN',
    rows: (
      [
        ['/person/firstName', 'Maria 3rd'],
        ['/person/address/streetLine1', '1120 Poplar Ave Unit 078-05'],
        ['/person/address/streetLine2', 'Unit 0780511201'],
        ['/verifications/document/address', { streetLine1: '05 Example Road 1120' }],
        ['/verifications/document/issuingSubdivision', 'State 12'],
      ] as const
    ).map(([pointer, text]) => ({ what: `${JSON.stringify(text)} in ${pointer}`, change: { [pointer]: text } })),
  },
  {
    heading: 'More times as languages and databases print them',
    rows: [
      // Snowflake, PHP, R
      '2026-01-05 10:00:00.000 Z',
      '2026-01-05 10:00:00 GMT',
      // Python: strftime with %Z%z
      '2026-01-05 10:00:00 UTC+0000',
      '2026-01-05 10:00:00 EST-0500',
      // Go: FixedZone
      '2026-01-05 10:00:00 +0800 UTC+8',
      '2026-01-05 10:00:00 +0800 Asia/Shanghai',
      '2026-01-05 10:00:00.5 +0800 Beijing m=+0.004211501',
      // Elixir: to_string
      '2026-01-05 10:00:00+01:00 CET Europe/Warsaw',
      // Rust: OffsetDateTime of `time`
      '2026-01-05 9:00:00.0 +00:00:00',
      '2026-01-05 0:05:07.25 +05:30:00',
    ].map((value) => ({ what: `decided at ${value}`, change: { '/decisionedAt': value } })),
  },
  {
    heading: 'Email addresses of Japanese carriers, from before 2009',
    rows: ['maria..sample@docomo.ne.jp', 'maria.@docomo.ne.jp', 'maria_..s.@ezweb.ne.jp'].map((value) => ({
      what: value,
      change: { '/person/emailAddress': value },
    })),
  },
  {
    heading: 'Postal codes and document numbers as databases and people write them',
    rows: [
      {
        what: 'a British postal code filled with spaces',
        change: {
          [`${A}/countryCode`]: 'GB',
          [`${A}/subdivision`]: REMOVED,
          [`${A}/postalCode`]: 'SW1A 1AA  ',
        },
      },
      { what: 'N° before a document number', change: { [`${D}/documentNumber`]: 'N° 12AB34567' } },
    ],
  },
  {
    heading: 'More provider data that is not personal data',
    rows: (
      [
        ['the type of a picture', { note: 'metadata:image/png ok' }],
        ['other numbers in circles, and in the digits of cheques', { a: '⓿❼❽⓿❺❶❶❷❶', b: '零柒捌零伍壹壹贰壹' }],
        ['URL encoding of other full-width digits', { a: '%EF%BC%90%EF%BC%97', b: '100%25 %E9', c: '%F0%28%8C%28' }],
        ['numbers and texts that are no SSN', { list: [78, '05', 1121], more: ['078', 50, 1120] }],
        [
          'statements about an address or a passport',
          {
            addressSource: 'utility bill 2025',
            addressProvider: 'Acme v2',
            address_verification_method: 'utility bill, 2 months',
            addressAge: '24 months',
            address_checked_on: '5 Jan 2026',
            proofOfAddress: 'utility bill 2025-11',
            passportIssued: '2020-06-01',
            passport_issue_date: '2020-06-01',
            passportChip: 'read ok 123',
            licenseKey: 'ABCD-1234-EFGH',
            addressConfidence: 'high, 98 %',
            address_quality: 'premise level',
            addressDeliverability: 'deliverable, missing unit',
            crypto_address: 'bc1 q xyz',
            residence_permit: 'valid until 2030',
            tax_residence: 'United Kingdom, Ireland',
          },
        ],
        ['a position of ISO 6709', { coordinates: '+40.6894-074.0447/', at: '+4041.36-07402.68/' }],
      ] as const
    ).map(([what, value]) => ({ what, change: { [DATA]: value } })),
  },
  {
    heading: 'The phone number that the typed field carries, as its country writes it',
    rows: ['020 7946 0958', '(020) 7946 0958', '+44 (0)20 7946 0958', '0044 20 7946 0958', '+44–20–7946–0958'].map(
      (phone) => ({ what: phone, change: { '/person/phoneNumber': '+442079460958', [DATA]: { phone } } }),
    ),
  },
]

/** The submitted SSN in a free-form part. */
const hiddenSsns: readonly (readonly [what: string, value: JsonValue])[] = [
  ['digits of cheques', '零柒捌零伍壹壹贰零'],
  ['digits of cheques, traditional', '零柒捌-零伍-壹壹貳零'],
  ['digits of Suzhou', '〇〧〨〇〥〡〡〢〇'],
  ['a circle for zero', '○七八○五一一二○'],
  ['white digits in black circles', '⓿❼❽⓿❺❶❶❷⓿'],
  ['digits in circles, without serifs', '🄋➆➇🄋➄➀➀➁🄋'],
  ['digits in two circles', '⓪⓻⓼⓪⓹⓵⓵⓶⓪'],
  [
    'URL encoding of full-width digits',
    '%EF%BC%90%EF%BC%97%EF%BC%98%EF%BC%90%EF%BC%95%EF%BC%91%EF%BC%91%EF%BC%92%EF%BC%90',
  ],
  ['URL encoding of Arabic digits', 'q=%D9%A0%D9%A7%D9%A8%D9%A0%D9%A5%D9%A1%D9%A1%D9%A2%D9%A0'],
  ['words with the letter O', 'O seven eight O five one one two O'],
  ['words with nought', 'nought seven eight nought five one one two nought'],
  ['a list of numbers and texts', [78, '05', 1120]],
  ['a list of texts and numbers', ['078', 5, '1120']],
  ['a list with gaps', ['078', null, '05', true, '1120']],
  ['a list backwards', ['0211', '50', '870']],
  ['a list in the opposite order', ['1120', '05', '078']],
  ['an object in the opposite order', { last4: '1120', first5: '07805' }],
  ['a list of named parts', ['078', '05', '1120'].map((value, index) => ({ name: `part${index}`, value }))],
  ['a list of words', 'zero seven eight zero five one one two zero'.split(' ')],
  ['words with underscores', 'zero_seven_eight_zero_five_one_one_two_zero'],
  ['words in one', 'zeroSevenEightZeroFiveOneOneTwoZero'],
  ['words for the dashes', 'zero seven eight dash zero five hyphen one one two zero'],
  ['Spanish words', 'cero siete ocho cero cinco uno uno dos cero'],
  ['the letter O for zeros', 'O78-O5-112O'],
  ['HTML references, escaped twice', [...'078051120'].map((digit) => `&amp;#${digit.charCodeAt(0)};`).join('')],
  ['a picture behind another word', 'xdata:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB'],
]

export const refusedFormats: readonly CaseGroup[] = [
  {
    heading: 'Texts that resemble those formats',
    rows: [
      ...[
        'Maria @home',
        'maria@ home',
        'Maria]',
        '[Maria',
        '[]',
        '[1]',
        'A=B',
        'Maria=',
        'Maria ﵀',
        '¨Maria',
        'D/O:',
        '°Maria',
        'Maria 1°',
        'Ива*ов',
        'Мар*',
        '山田：太郎',
        '旧姓：',
        '【】',
      ].map((name) => ({ what: name, change: { '/person/firstName': name }, refused: ['/person/firstName FORMAT'] })),
      ...['Maria\u200bAnna', '\u200bសុខ', '李\u200b明'].map((name) => ({
        what: `a space without width: ${JSON.stringify(name)}`,
        change: { '/person/firstName': name },
        refused: ['/person/firstName CONTROL_CHARACTER'],
      })),
      ...[
        '2026-01-05T9:00:00Z',
        '2026-01-05 900',
        '2026-01-05 10:00:00 America/New_York',
        '2026-01-05 10:00:00 CET',
        '2026-01-05 10:00:00 5',
        '2026-01-05T10:00:00GMT',
        '2026-01-05 10:00:00Z+0530',
        '2026-01-05 10:00:00 EST-05:00:00:00',
      ].map((value) => ({
        what: `decided at ${value}`,
        change: { '/decisionedAt': value },
        refused: ['/decisionedAt DATE_INVALID'],
      })),
      ...['.maria@docomo.ne.jp', 'ma..ria@docomo.ne.jp.example.com', 'maria.@xdocomo.ne.jp'].map((value) => ({
        what: value,
        change: { '/person/emailAddress': value },
        refused: ['/person/emailAddress FORMAT'],
      })),
    ],
  },
  {
    heading: 'The submitted SSN in still other digits, encodings and lists',
    rows: hiddenSsns.map(([what, value]) => ({
      what,
      change: { [`${DATA}/x`]: value },
      refused: [`${DATA}/x CLEAR_PII_IN_FREE_FORM`],
    })),
  },
]

export const warnedFormats: readonly CaseGroup[] = [
  {
    heading: 'Accepted with a remark: personal data of the provider in more formats',
    rows: (
      [
        ['a phone number with non-breaking spaces', { x: '+44\u00a020\u00a07946\u00a00999' }, '/x'],
        ['a phone number in full-width digits', { x: '＋４４２０７９４６０９９９' }, '/x'],
        ['a phone number in Arabic digits', { x: '+٤٤٢٠٧٩٤٦٠٩٩٩' }, '/x'],
        ['a phone number with long dashes', { x: '+49–30–901820' }, '/x'],
        ['a phone number with slashes', { x: '+49/30/901820' }, '/x'],
        ['a phone number of North America behind a 1', { x: '1-202-555-0199' }, '/x'],
        ['another national number under phone', { phone: '020 7946 0999' }, '/phone'],
        ['a list under phones', { phones: ['2025550199'] }, '/phones/0'],
        ['the number of a phone object', { phone: { number: '2025550199' } }, '/phone/number'],
        ['the number of a passport object', { passport: { number: 'Y7654321' } }, '/passport/number'],
        ['the number of a document object', { document: { number: 'AB123456' } }, '/document/number'],
        ['a licence number under dl_number', { dl_number: 'D7654321' }, '/dl_number'],
        ['a phone number with full stops and a dash', { x: '+44.20.7946-0999' }, '/x'],
        ['an address under tax_address', { tax_address: '9 Example Street, Otherville' }, '/tax_address'],
        ['an address under residence', { residence: '9 Example Street, Otherville' }, '/residence'],
        ['a passport number in a clause', { note: 'The passport number is Y7654321' }, '/note'],
      ] as const
    ).map(([what, value, pointer]) => ({
      what,
      change: { [DATA]: value },
      warned: [`${DATA}${pointer} PII_BEYOND_TYPED_FIELDS`],
    })),
  },
]
