/**
 * Officially assigned ISO 3166-1 alpha-2 codes, 249 of them. A test compares the list with the `iso-3166` package, so that
 * the package itself (all subdivisions of the world) need not be shipped.
 */
const ASSIGNED = `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY
  BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK
  FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR
  IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK
  ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
  PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF
  TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`

/** ISO 3166-2:US without its prefix (50 states, DC, outlying areas), compared with `iso-3166` likewise. */
const US_ISO = `
  AK AL AR AS AZ CA CO CT DC DE FL GA GU HI IA ID IL IN KS KY LA MA MD ME MI MN MO MP MS MT NC ND NE NH NJ NM
  NV NY OH OK OR PA PR RI SC SD TN TX UT VA VI VT WA WI WV WY`

/** Military "states" of the US postal service: Americas, Europe, Pacific. Not in ISO 3166-2. */
const US_MILITARY = ['AA', 'AE', 'AP']

/** US territories that also have an alpha-2 code of their own. */
const US_TERRITORIES: ReadonlySet<string> = new Set(['AS', 'GU', 'MP', 'PR', 'VI'])

const words = (text: string): string[] => text.trim().split(/\s+/)
const COUNTRY_CODES: ReadonlySet<string> = new Set(words(ASSIGNED))
const US_SUBDIVISIONS: ReadonlySet<string> = new Set([...words(US_ISO), ...US_MILITARY])

/** True for an assigned alpha-2 code exactly as written: never case-folded, because it decides the KYC status. */
export function isCountryCode(text: string): boolean {
  return COUNTRY_CODES.has(text)
}

/** True for a US state, the District of Columbia, one of the five territories, or a military code; exactly as written. */
export function isUsSubdivision(text: string): boolean {
  return US_SUBDIVISIONS.has(text)
}

/** True for `PR`, `GU`, `VI`, `AS` and `MP`. */
export function isUsTerritory(countryCode: string): boolean {
  return US_TERRITORIES.has(countryCode)
}
