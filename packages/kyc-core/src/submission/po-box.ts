/*
 * Patterns of PO boxes in address lines. Military (PSC, CMR, UNIT), rural-route and highway-contract addresses also
 * hold the word BOX, but are street addresses (31 CFR 1020.220; USPS Publication 28). Their first part is removed, and
 * the rest is checked.
 */
const EXEMPT = [
  /^(?:PSC|CMR|UMR|OMC|UNIT) ?#? ?\d+[A-Z]?(?: ?, ?| )BOX ?#? ?[\dA-Z-]+/,
  /^(?:R\.? ?[RD]\.?|R\.? ?F\.? ?D\.?|RURAL (?:ROUTE|RTE|RT\.?)|ROUTE|RTE?\.?|H\.? ?C\.?(?: ?R\.?)?|(?:HIGHWAY|HWY) CONTRACT(?: ROUTE)?|STAR (?:ROUTE|RTE|RT\.?)|S\.? ?R\.?) ?#? ?(?:NO\.? ?)?[\dA-Z]+(?: ?, ?| )BOX ?#? ?[\dA-Z-]+/,
  // Reverse order: "Box 152, RR 2"
  /^BOX ?#? ?[\dA-Z-]+(?: ?, ?| )(?:PSC|CMR|UMR|OMC|R\.? ?[RD]\.?|R\.? ?F\.? ?D\.?|RURAL (?:ROUTE|RTE|RT\.?)|ROUTE|RTE?\.?|H\.? ?C\.?(?: ?R\.?)?|(?:HIGHWAY|HWY) CONTRACT(?: ROUTE)?|STAR (?:ROUTE|RTE|RT\.?)|S\.? ?R\.?) ?#? ?\d+/,
] as const

const PO_BOX = [
  // P.O. Box, P O Box, PO-Box, P.O.-Box, P0 B0X, POBox 9, P.O.B. 9
  /\b(?:US)?P[ ./_-]{0,3}[O0][ ./_-]{0,3}B[O0] ?X(?:ES)?(?![A-Z])/,
  /\bP[ ./_-]{0,3}[O0][ ./_-]{0,3}BX\b/,
  /\bP\.? ?[O0]\.? ?B\.? ?#? ?\d/,
  // P.O. 9, PO #9 at the start of a line or of a part of a line
  /\bP\. ?O\. ?#? ?\d/,
  /(?:^|, ?)P\.?O\.? ?#? ?\d/,
  // Post Office Box, Post Box, Postal Box, Post Off. Box
  /\bPOST(?:AL)?[ -]?(?:OFFICE[ -]?|OFF\.? ?|OFC\.? ?)?B(?:[O0]X(?:ES)?|X)\b(?! (?:LANE|LN|ROAD|RD|STREET|ST|AVENUE|AVE|WAY|DRIVE|DR|COURT|CT|COTTAGE|HOUSE|HILL)\b)/,
  // A bare "Box 9", "Box 9-A"
  /(?:^|, ?)(?:P\.? )?B[O0]X ?(?:NO\.?|NUMBER|NUM|#)? ?-? ?(?:\d+(?:-?[A-Z])?|[A-Z]-?\d+)(?:$|,)/,
  // USPS Publication 28, section 283: other words for a PO box
  /(?:^|, ?)(?:P\.? ?O\.? ?|POST OFFICE )?(?:FIRM )?(?:CALLER(?: SERVICE| BOX)?|LOCK ?BOX|DRAWER|BIN) ?(?:NO\.?|#)? ?(?:\d[\dA-Z]{0,5}|[A-Z])$/,
  // Outside the US
  /\bG\.?P\.?O\.? ?BOX\b/,
  /\b(?:LOCKED|PRIVATE|MAIL) ?BAG ?(?:NO\.?|#)? ?[\dA-Z]{0,3}\d/,
  /\bPOSTFACH\b/,
  /\bPOSTBUS ?\d/,
  /\bPOSTBOKS ?\d/,
  /\bPOSTBOX ?\d/,
  /\bAPARTADO (?:POSTAL|DE CORREOS|AEREO)\b/,
  /(?:^|, ?)(?:APARTADO|APDO\.?|APTDO\.?) ?(?:POSTAL ?)?(?:NO\.?|#)? ?\d/,
  /\bCASILLA (?:DE CORREO|POSTAL)\b/,
  /(?:^|, ?)CASILLA ?(?:NO\.?|#)? ?\d/,
  /\b(?:CASELLA|CAIXA|CX\.?|CASUTA|CASETTA) POSTALE?A?\b/,
  /\bBOITE POSTALE\b/,
  /(?:^|, ?)B\.? ?P\.? ?(?:NO\.?|#)? ?\d/,
  /\bCASE POSTALE\b/,
  /\bSKR(?:YTKA|\.)? ?POCZT(?:OWA|\.)/,
  /(?:^|, ?)PF\. ?\d/,
  /\bKOTAK POS\b/,
  /(?:^|, ?)P\. ?K\. ?\d/,
  /(?:^|, ?)[TΤ]\. ?Θ\. ?\d/,
  /\bPOSTILOKERO\b/,
  /\bPOSTAFIOK\b/,
  /\bPOSTNI PREDAL\b/,
  /\bPOSTANSKI PRETINAC\b/,
  /\bPASTO DEZUTE\b/,
  /\bPOSTHOLF\b/,
  /\bHOP THU ?\d/,
  // Spelled without combining marks: й becomes и, and ตู้ becomes ต.
  /私書箱|信箱|사서함|А\/Я|АБОНЕНТСКИИ ЯЩИК|ต ?ปณ|ص ?\. ?ب|صندوق بريد|ת ?\. ?ד/,
] as const

const PLAIN = /^[ -~]*$/
const PRIVATE_MAILBOX = /\bP\.?M\.?B\.? ?#? ?\d/

/**
 * Normalises a line for comparison: NFKC, upper case, Latin letters without accents, single spaces, no invisible
 * characters.
 */
function comparable(line: string): string {
  // Most lines are plain ASCII and need no normalisation.
  if (PLAIN.test(line)) return line.toUpperCase().replace(/ {2,}/g, ' ').trim()
  return line
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[‐‑‒–—]/gu, '-')
    .replace(/\s+/gu, ' ')
    .trim()
}

/** Checks whether an address line names a PO box, in US and other spellings. */
export function isPoBox(line: string): boolean {
  const text = comparable(line)
  const exempt = EXEMPT.find((pattern) => pattern.test(text))
  const rest = exempt ? text.replace(exempt, '') : text
  return PO_BOX.some((pattern) => pattern.test(rest))
}

/** Checks whether an address line names a private mailbox (`PMB 456`). */
export function isPrivateMailbox(line: string): boolean {
  return PRIVATE_MAILBOX.test(comparable(line))
}
