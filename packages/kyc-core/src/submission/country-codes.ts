/**
 * The 249 officially assigned ISO 3166-1 alpha-2 codes. A test compares the list with the `iso-3166` package, which is
 * too large to ship.
 */
const ASSIGNED = `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY
  BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK
  FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR
  IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK
  ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
  PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF
  TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`

/** ISO 3166-2:US codes without prefix (50 states, DC, outlying areas). The same test compares them. */
const US_ISO = `
  AK AL AR AS AZ CA CO CT DC DE FL GA GU HI IA ID IL IN KS KY LA MA MD ME MI MN MO MP MS MT NC ND NE NH NJ NM
  NV NY OH OK OR PA PR RI SC SD TN TX UT VA VI VT WA WI WV WY`

/** Military "states" of the US postal service (Americas, Europe, Pacific), which ISO 3166-2 does not have. */
const US_MILITARY = ['AA', 'AE', 'AP']

/** US territories that also have an alpha-2 code. */
const US_TERRITORIES: ReadonlySet<string> = new Set(['AS', 'GU', 'MP', 'PR', 'VI'])

const words = (text: string): string[] => text.trim().split(/\s+/)
const COUNTRY_CODES: ReadonlySet<string> = new Set(words(ASSIGNED))
const US_SUBDIVISIONS: ReadonlySet<string> = new Set([...words(US_ISO), ...US_MILITARY])

/** Checks for an assigned alpha-2 code. Letter case must match because the code decides the KYC status. */
export function isCountryCode(text: string): boolean {
  return COUNTRY_CODES.has(text)
}

/**
 * Checks for a US state, the District of Columbia, one of the five territories, or a military code. Letter case must
 * match.
 */
export function isUsSubdivision(text: string): boolean {
  return US_SUBDIVISIONS.has(text)
}

/** Stands for an unknown country: a user-assigned code that other registries use for it too. */
const UNKNOWN_COUNTRY = 'ZZ'

/** Returns a country code as it is recorded: `ZZ` for none, and for a text that is no code. */
export function recordedCountry(text: string | undefined): string {
  return text !== undefined && (isCountryCode(text) || isUserAssignedCountry(text)) ? text : UNKNOWN_COUNTRY
}

/** `AA`, `QM` to `QZ`, `XA` to `XZ` and `ZZ`, which ISO 3166-1 leaves to its users. `XK` is often Kosovo. */
const USER_ASSIGNED = /^(?:AA|Q[M-Z]|X[A-Z]|ZZ)$/

/** Checks for a user-assigned alpha-2 code. */
export function isUserAssignedCountry(text: string): boolean {
  return USER_ASSIGNED.test(text)
}

/** Checks for `PR`, `GU`, `VI`, `AS` and `MP`. */
export function isUsTerritory(countryCode: string): boolean {
  return US_TERRITORIES.has(countryCode)
}
