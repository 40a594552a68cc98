/*
 * Parts of address lines that hold the words or letters of a PO box and mean something else. The texts are compared
 * texts: upper case, without accents.
 */

/**
 * Military (PSC, CMR, UNIT), rural-route and highway-contract addresses hold the word BOX, but are street addresses (31
 * CFR 1020.220; USPS Publication 28).
 */
const STREET_ADDRESSES = [
  /^(?:PSC|CMR|UMR|OMC|UNIT) ?#? ?\d+[A-Z]?(?: ?, ?| )BOX ?#? ?[\dA-Z-]+/,
  /^(?:R\.? ?[RD]\.?|R\.? ?F\.? ?D\.?|RURAL (?:ROUTE|RTE|RT\.?|(?:FREE )?DELIVERY)|ROUTE|RTE?\.?|H\.? ?C\.?(?: ?R\.?)?|(?:HIGHWAY|HWY) CONTRACT(?: ROUTE)?|STAR (?:ROUTE|RTE|RT\.?)|S\.? ?R\.?)[ -]?#? ?(?:NO\.? ?)?(?:\d[\dA-Z]*|[A-Z]\d*)(?: ?, ?| )BOX ?#? ?[\dA-Z-]+/,
  // A route that has no number
  /^(?:RURAL (?:ROUTE|RTE|RT\.?)|(?:HIGHWAY|HWY) CONTRACT(?: ROUTE)?|STAR (?:ROUTE|RTE|RT\.?))(?: ?, ?| )BOX ?#? ?[\dA-Z-]+/,
  // Canada: site, group, compartment and box before or after a rural route or suburban service: "Site 6, Box 12, RR 3"
  /^(?:(?:SITE|GROUP|GRP|COMP|BOX) ?(?:# ?)?\d+[A-Z]?(?: ?, ?| ))*(?:R\.? ?R|S\.? ?S)\.? ?#? ?\d+(?:(?: ?, ?| )(?:SITE|GROUP|GRP|COMP|BOX) ?(?:# ?)?\d+[A-Z]?)*/,
  // Reverse order: "Box 152, RR 2"
  /^BOX ?#? ?[\dA-Z-]+(?: ?, ?| )(?:PSC|CMR|UMR|OMC|R\.? ?[RD]\.?|R\.? ?F\.? ?D\.?|RURAL (?:ROUTE|RTE|RT\.?|(?:FREE )?DELIVERY)|ROUTE|RTE?\.?|H\.? ?C\.?(?: ?R\.?)?|(?:HIGHWAY|HWY) CONTRACT(?: ROUTE)?|STAR (?:ROUTE|RTE|RT\.?)|S\.? ?R\.?) ?#? ?\d+/,
  // Great Britain: the name of a house
  /^(?:THE (?:OLD )?|OLD )POST ?BOX(?=,|$)/,
] as const

const SPANISH = 'AR BO CL CO CR CU DO EC ES GT HN MX NI PA PE PY SV UY VE'.split(' ')
/** The number of a day before its month. */
const DAY =
  /\b\d{1,2}(?= DE (?:ENERO|FEBRERO|MARZO|ABRIL|MAYO|JUNIO|JULIO|AGOSTO|SEPT?IEMBRE|OCTUBRE|NOVIEMBRE|DICIEMBRE|JANEIRO|FEVEREIRO|MARCO|MAIO|JUNHO|JULHO|SETEMBRO|OUTUBRO|NOVEMBRO|DEZEMBRO)\b)/g

/** Abbreviations that mean something else in some countries. */
const OTHER_MEANINGS: readonly { readonly countries: ReadonlySet<string>; readonly pattern: RegExp }[] = [
  // "č. p. 12" is the number of a house.
  [['CZ', 'SK'], /\bC\. ?P\.(?= ?\d)/g],
  // "C.P. 9 de Octubre" is a village (centro poblado).
  [['PE'], /\bC\. ?P\.(?= ?\d)/g],
  // "Bairro da C.P. 12" belongs to the railway.
  [['PT'], /(?<=\bDA )C\. ?P\.(?=,? ?\d)/g],
  // "BP 12" and "C.P. 12" are houses in those blocks, and "PO 18 BB", "P.O. 3E" or "P.O. 12th Mile" is the post office
  // of that village.
  [['IN'], /\b[BC]\.? ?P\.?(?= ?-? ?\d)|\bP\.? ?O\.?(?= ?\d{1,3}(?:TH|ST|ND|RD)?[ /-]?[A-Z.]{1,4}\b)/g],
  // "P.O. 225/RB", "P.O. 126/15-L", "P.O. 33 TDA"
  [['PK'], /\bP\.? ?O\.?(?= ?\d{1,3}(?:-[A-Z])?(?:\/\d{1,2})?[ /.-]?(?:TDA|[A-Z]\.?[A-Z]?\.?)(?![A-Z]))/g],
  // "Lot II BP 12" is a house.
  [['MG'], /\bLOT (?:[IVX]+ ?)?B ?P(?= ?\d)/g],
  // "5 High Street, PO14" ends with a part of a postal code.
  [['GB'], /(?<=, ?)PO\d{1,2}(?=$|,| [A-Z])/g],
  // "Brgy. Pob. 3", "Pob. 21 de Mayo, casa 5": a place. PO boxes have longer numbers.
  [['PH'], /\bPOB\.?(?= ?#? ?\d{1,2}(?!\d))/g],
  [SPANISH, /\bPOB\.?(?= ?#? ?\d{1,2}(?!\d))(?<!^POB\.?(?= ?#? ?\d+$))/g],
  // "C.C. 12 de Octubre": the name of a place
  [[...SPANISH, 'AO', 'BR', 'MZ', 'PT'], DAY],
].map(([countries, pattern]) => ({ countries: new Set(countries as string[]), pattern: pattern as RegExp }))

/** "Scala C P. 3", "Bât B P 12": the letter of a part of a building, before its floor or door. */
const PART_OF_BUILDING =
  /\b(?:SC(?:ALA|ARA)?|BL(?:OC)?|BLDG|BA?T(?:IMENT)?|IMM(?:EUBLE)?|ESC(?:ALIER|ALERA)?|ENTREE|HALL|TOUR|TORRE|PAL(?:AZZINA)?|ED(?:IF|IFICIO)?|CORPO|INT|LOTTO|LOT|ILOT|CAGE|AILE)\.? [A-Z](?= P\.? ?\d)/g

/** "Near GPO 12 Mall Road", "Opp. Post Box, Lane 5": a place to find the house by. */
const LANDMARK =
  /\b(?:NEAR|OPP(?:OSITE|\.)?|BEHIND|BESIDE|NEXT TO) (?:THE )?(?:POST ?BOX(?! ?(?:NO|NUMBER|#|\d))|(?:G\.? ?)?P\.? ?O\.?(?= \d{1,5}[A-Z]? [A-Z]))/g

/**
 * Removes from an address line what resembles a PO box there and is none.
 *
 * @param country Code of the address's country.
 */
export function withoutExceptions(line: string, country: string): string {
  let text = line
  for (const { countries, pattern } of OTHER_MEANINGS) if (countries.has(country)) text = text.replace(pattern, '')
  text = text.replace(PART_OF_BUILDING, '').replace(LANDMARK, '')
  const street = STREET_ADDRESSES.find((pattern) => pattern.test(text))
  return street ? text.replace(street, '') : text
}
