import { anyOf } from './any-of.js'
import { BY_COUNTRY } from './po-box-by-country.js'
import { withoutExceptions } from './po-box-exceptions.js'
import { BOX_WORDS, LOAN_WORDS, NUMBER_SIGNS, SLASHED_WORDS } from './po-box-words.js'
import { namesParcelLocker } from './parcel-lockers.js'

/*
 * Patterns of PO boxes in address lines. `po-box-exceptions.ts` removes what only resembles them.
 */

const STREET_TYPES =
  'STREET|ST|AVENUE|AVE|ROAD|RD|LANE|LN|DRIVE|DR|COURT|CT|WAY|PLACE|PL|SQUARE|SQ|BOULEVARD|BLVD|TERRACE|TER|CRESCENT|CRES|CLOSE|MEWS|HIGHWAY|HWY|PARKWAY|PKWY|CIRCLE|CIR|ROW|QUAY|PARADE|PDE|GARDENS|GREEN|HILL|TRAIL|TRL|LOOP|PIKE|PLAZA|ROUTE|RTE'
/** A bare "Box 9", "Box 9-A", "Mailbox 9". In Belgium it is the part of a building. */
const BARE_BOX =
  /(?:^|, ?)(?:P\.? |MAIL ?|PRIVATE |PVT\.? )?B[O0]X ?(?:NO\.?|NUMBER|NUM|#)? ?-? ?(?:\d+(?:-?[A-Z])?|[A-Z]-?\d+)(?:$|,)/
/** "10 King St", "350 5th Ave", "100 Main St SW", "1234 County Road 12" */
const STREET = String.raw`(?:HIGHWAY|HWY|ROUTE|RTE)(?= \d)|(?:\d{1,3}(?:ST|ND|RD|TH) |[^\d,][^,]*\b)(?:${STREET_TYPES})`
const END_OF_STREET = String.raw`\.? (?:\d{1,4}|[NS]\.? ?[EW]\.?|[NESW]\.?|(?:NORTH|SOUTH)?(?:EAST|WEST)|NORTH|SOUTH)`
const HOUSE = String.raw`\d{1,5}[A-Z]? (?:${STREET})(?:${END_OF_STREET})?`
const BOX = String.raw`(?:MAIL ?)?BOX ?#? ?\d+-?[A-Z]?`
/** "Box 5, 10 King St" and "10 King St, Box 5": a box of that house. */
const BOX_OF_HOUSE = new RegExp(String.raw`^${BOX}, ?${HOUSE}(?![\dA-Z])|^${HOUSE}\.?, ?${BOX}$`)

const namesPoBox = anyOf([
  // P.O. Box, P O Box, P O B O X, PO-Box, P.O.-Box, P0 B0X, POBox 9, P.O.B. 9
  /\b(?:US|[CIK]|MC|CC|QCC)?P[ .,:;'"()~+=/\\|*_-]{0,3}[O0][ .,:;'"()~+=/\\|*_-]{0,3}B ?[O0] ?X(?:ES)?(?![A-Z])(?<!POBOX(?:ES)?(?= (?:LANE|LN|ROAD|RD|STREET|ST|AVENUE|AVE|WAY|DRIVE|DR|COURT|CT)\b))/,
  /\bP[ ./_-]{0,3}[O0][ ./_-]{0,3}BX(?![A-Z])/,
  // Not the Canadian postal code P0B 1J0.
  /\b(?!P0B ?\d[A-Z]\d\b)P\.? ?[O0]\.? ?B\.? ?#? ?\d/,
  // P.O. 9, PO #9 at the start of a line or of a part of a line. Not the British postal code PO14 3XX.
  /\bP\. ?O\. ?#? ?\d/,
  /(?:^|, ?)(?!PO\d{1,2} ?\d[A-Z]{2}\b)P\.?O\.? ?#? ?\d/,
  // P. Office Box 12
  /\bP\. ?OFFICE ?B[O0]X(?![A-Z])/,
  // P.Box 12
  /\bP\. ?BOX ?(?:NO\.?|#)? ?\d/,
  // Post Office Box, Post Box, Postal Box, Post Off. Box
  /\bPOST(?:AL)?[ .-]{0,2}(?:OFFICE[ .-]{0,2}|OFF\.? ?|OFC\.? ?)?B(?:[O0]X(?:ES)?|X)(?![A-Z])(?! (?:LANE|LN|ROAD|RD|STREET|ST|AVENUE|AVE|WAY|DRIVE|DR|COURT|CT|COTTAGES?|HOUSE|HILL)\b)/,
  // USPS Publication 28, section 283: other words for a PO box
  /(?:^|, ?)(?:P\.? ?O\.? ?|POST OFFICE )?(?:FIRM )?(?:CALLER(?: SERVICE| BOX)?|LOCK ?BOX|DRAWER|BIN) ?(?:NO\.?|#)? ?(?:\d[\dA-Z]{0,5}|[A-Z])(?:$|,)/,
  /(?:^|, ?)(?:P\.? ?O\.?|POST OFFICE) DRAWER\b/,
  // Canada: a box and its post office, without "PO"
  /(?:^|, ?)BOX ?#? ?\d+ (?:STN|SUCC|RPO|LCD|STATION (?:[A-Z]|MAIN)$)\b/,
  // Outside the US
  /(?:^|, ?| )G\.?P\.?O\.? ?(?:BOX|#? ?\d+(?!\d|ST|ND|RD|TH))/,
  // In Botswana, Malawi and New Zealand with letters before the number. Not "P.O. Bagru 303007", a village.
  /\b(?:(?:LOCKED|PRIVATE|PVT\.?|RESPONSE|P ?\/) ?BAG|(?:MAIL|POST|P\.? ?O\.?|P[ .]{1,2}) ?BAG(?!(?!NO\b|X ?\d)[A-Z])) ?(?:SERVICE ?)?(?:NO\.?|#)? ?[\dA-Z]{0,3} ?[A-Z]?\d/,
  /^(?:LOCKED|PRIVATE|PVT\.?) (?:MAIL |POST )?BAG(?:$|,)/,
  /\b(?:PRIVAATSAK|PRIVAAT SAK|P ?\/ ?SAK) ?(?:NO\.?|#)? ?[\dA-Z]{0,3} ?\d/,
  /\bBEG BERKUNCI\b/,
  /\bPOST[ -]?FACH(?:ER|-?NR\.?|-?NUMMER)?\b/,
  /\b(?:POST)?SCHLIESSFACH ?(?:NR\.? ?)?\d/,
  /\bPO?STF\. ?(?:NR\.? ?)?\d/,
  /\b(?:POSTBUS(?:NUMMER)?|POSBUS|POSTBOKS|POSTBOX|POSTLADA|POSTFACK|(?:ABONEMENT|ABONENT)?POSTKAST|ABONE(?:MENT|NT)KAST|NIMEKAST) ?(?:NR\.? ?)?\d/,
  // Without a number, as the whole line
  /^(?:POSTBUS|POSBUS|POSTBOKS|POSTBOX|POSTLADA|POSTKAST|ANTWOORDNUMMER|PACKSTATION|POSTFILIALE)$/,
  /\bAPARTAD[OA] (?:POSTAL|(?:DE )?CORREOS?|AEREO|(?:OFICIAL|ESPECIAL|NACIONAL) ?(?:N[O°º]?\.?)? ?\d)/,
  /\b(?:APARTAT|APTAT\.?) (?:POSTAL|DE CORREUS)\b/,
  /\b(?:AP|APART|APDO|APT|APTDO|APTO)\.? ?(?:DE )?CORRE[OU]S?\b/,
  /\b(?:AP(?:DO|TDO|TO|ART)?\.? ?|CAJON )POST(?:AL\b|\.)/,
  /\bAP(?:DO|TDO|TO)?\.? ?AEREO\b/,
  /(?:^|, ?)(?:APARTADO|APARTAT|APDO\.?|APTDO\.?) ?,? ?(?:POSTAL ?)?(?:N[O°º]?\.?|#)? ?\d/,
  /\bPOSTA[ -]?KUTXA(?:TILA)?\b/,
  /\bCAS(?:ILLA|\.) ?(?:(?:DE )?CORREOS?|POSTAL)\b/,
  /(?:^|, ?)CASILLA ?(?:N[O°º]?\.?|#)? ?\d/,
  /\b(?:CASELL[AE]|CAS\.|CAIXA|CXA?\.?|CASUTA|CASETTA|KAXXA|KAIXA)[ -]?POST(?:ALE?A?|ALI)?\b/,
  /\b(?:BOITES?|BTE\.?)[ -]POST(?:ALES?\b|\.)/,
  /\b(?:CASIER|SAC|TIROIR|BUSTIA) POSTAL\b/,
  /(?:^|, ?)B\.? ?P\.? ?(?:N[O°º]?\.?|#)? ?\d/,
  /\bCASE POSTALE\b/,
  /\bCHASCHA POSTALA\b/,
  // Up to three digits: longer ones are a postal code where "C.P." stands for it.
  /(?:^|, ?| )C\. ?P\. ?(?:N[O°º]?\.?|#)? ?\d{1,3}(?!\d)/,
  /\b(?:SKR(?:YTK[AI]|YT\.|ZYNKA|\.)?|PRZEGRODKA) ?POCZT?(?:OW[AE]\b|\.|\b)/,
  /(?:^|, ?)SKRYTKA ?(?:NR\.? ?)?\d/,
  /(?:^|, ?)PF\. ?\d/,
  /\b(?:KOTAK|KTK\.?|TROMOL)[ -]?POS\b/,
  /\bPETI[ -]SURAT\b/,
  /\b(?:PETI POS|KARUNG BERKUNCI)\b/,
  /(?:^|[\s,])[TΤ][./]? ?Θ\.? ?(?:ΑΡ\.? ?)?\d/u,
  /(?<!\p{L})ΤΑΧ\p{L}{0,10}(?:\/ΚΗ|\.)? ?ΘΥΡ(?:ΙΔΑ|\.)/u,
  /(?:^|, ?)ΘΥΡΙΔΑ ?\d/u,
  /\bTACH[YI]DROMIKI TH[YI]RIDA\b/,
  // China: a number and 邮箱. Not "邮箱厂路", a street.
  /\d ?[号號]?[邮郵]箱(?![厂廠路街巷])|^[邮郵]箱 ?\d/u,
  /\bPOSTILOK(?:ERO\b|\. ?\d)/,
  /\bPOSTA[ -]?FIOK(?:SZAM)?\b/,
  /\bPOS(?:T(?:NI |\. ?)|\. ?)PRED(?:AL|\.)/,
  /\bPOS(?:T(?:ANSKI |\. ?| )|\. ?)(?:(?:PRETINAC|PREGRADAK|FAH|SANDUCIC|ORMARIC)\b|PRET\.)/,
  /\bPOST(?:OVNI |OVA |\. ?)(?:PRIHRADKA|PRIEHRADKA|SCHRANKA|PRIHR\.|SCHR\.)/,
  /\bPOST(?:OVY |\. ?)PRIEC(?:INOK\b|\.)/,
  /\b(?:PASTO|ABONENTINE|ABON\.) D(?:EZ(?:UTE\b|\.)|\. ?\d)/,
  /\b(?:PASTA|ABONENT[AU]|ABONEMENT[AU]) (?:PAST)?KAST(?:ITE|E)\b/,
  /^PASTKAST(?:ITE|E) ?(?:NR\.? ?)?\d/,
  /\bPOSTH(?:OLF\b|\. ?\d)/,
  /\bPOSTA KUT(?:USU\b|\.)/,
  /\b(?:POCT|ABONENT|ABUNƏ) QUTUSU\b/,
  /\bPOCT YESI(?:K|YI)\b/,
  /\bKUTIA? POSTARE\b/,
  /\bBOSCA (?:POIST|O\.? ?P\b)/,
  /\bBOGSA (?:A['’] )?PH?UIST\b/,
  /\bBLWCH (?:POST|SP)\b/,
  /\bHO[PM] THU ?(?:BUU [DĐ]IEN ?|LUU ?)?(?:SO ?)?[A-Z]?\d|^HO[PM] THU$/,
  /\b(?:POCHTA|ABONENT) (?:QUTI(?:SI)?|YASHIGI)\b/,
  /\b(?:POCTA|ABONENT) GUTUSY\b/,
  // Somali, Oromo, Kinyarwanda, Kirundi, Hausa, Maori, Samoan, Tongan, Tok Pisin, Malagasy, Maltese, Yoruba, Igbo, Zulu,
  // Sotho, Hindi in Latin letters
  /\b(?:SANDUUQA BOOST(?:AD)?A|SAANDUQA POOSTAA|AGASANDU[GK]U K['’]?IPOSI?TA|AKWATIN GIDAN WAYA|POUAKA POUTAPETA|PUSA MELI|PUHA MEILI|POS ?BOKIS|BOATY PAOSITRA|KAXXA TAL-POSTA|APOTI IFIWERANSE|IGBE (?:NZIPU )?OZI|IBHOKISI LEPOSI|LEBOKOSE LA POSO|(?:DAK|TA?APAL) PETI)\b/,
  /\bKAHON NG KOREO\b/,
  /\bBWAT POSTAL\b/,
  // Reply numbers and addresses
  /(?:^|, ?)ANTW(?:OORDN(?:UMME)?R|\.? ?NR)\.? ?\d/,
  /^FREEPOST\b(?! (?:LANE|LN|ROAD|RD|STREET|ST|AVENUE|AVE|WAY|DRIVE|DR|COURT|CT)\b)/,
  /^FREE POST ?\d/,
  /^REPLY PAID (?:BOX ?)?\d/,
  /^(?:SVARSPOST|SVARPOST|SVARSENDING|FRISVAR|LIBRE REPONSE|REMESSA LIVRE)\b(?! [A-Z])/,
  /\bSANDUKU (?:LA )?(?:POSTA|BARUA)\b/,
  // Not "العاص. بناية", a name and a building.
  /(?<!\p{L})ص ?\. ?[بپ](?!\p{L})/u,
  /(?:^|[\s,،])ص ?[/-]? ?[بپ]\.? ?(?:رقم )?\p{Nd}/u,
  /\p{Nd} ?ص ?[./-]? ?[بپ]\.?$/u,
  /(?:^|[\s,])ת ?[."״'׳]{0,2} ?ד[."״'׳]? ?(?:מס(?:['׳]|פר)? ?)?\p{Nd}/u,
  // One of the letters may be Latin.
  /(?:^|[\s,])(?:А ?[/\\|] ?[СЯC]|A ?[/\\|] ?[СЯ])\.? ?(?:NO ?)?\d/u,
  // "абонементный ящик", "аб. ящ.", "абонскринька", "поштовий ящик"; й and ї are и and і in compared text
  /(?<!\p{L})(?:АБ(?:ОН?)?|ПОЧТ|ПОШТ)\p{L}{0,12}\.? ?(?:ЯЩИК|ЯЩ\.|СКРИНЬК|СКР\.)/u,
  /(?<!\p{L})АБАНЕН\p{L}{0,6} СКРЫН/u,
  /(?<!\p{L})АБОНЕ(?:НТ|МЕНТ)\p{L}{0,5} ЖӘШІ[КГ]/u,
  /\bABONENTSK\p{L}{1,3} (?:YASHCHIK|IASHCHIK|JASHCHIK|JASCHTSCHIK|JASCHIK|SKRYNKA)\b/u,
  /\b(?:POCHTOV(?:YY|YI|Y) (?:YASHCHIK|IASHCHIK)|POSHTOVA SKRYNKA|PO(?:SH|S)TENSKA KUTI(?:Y)?A)\b/,
  // After a name, "А.Я." and "А.С." are initials. The number sign is NO in compared text.
  /(?:^|, ?|\d )(?:А\. ?[СЯ]|П\. ?Я)\.? ?(?:NO ?)?\d/u,
  // Up to three digits, or alone: longer ones are a postal code, which has the same letters in Bulgaria.
  /(?:^|[\s,])П ?\.? ?К ?\.? ?(?:NO ?)?\d{1,3}(?!\d)/u,
  /^П ?\.? ?К ?\.? ?(?:NO ?)?\d+$/u,
  // Not "த.பெருமாள்", an initial and a name.
  /(?<![\p{L}\p{M}])த\. ?பெ(?![\p{L}\p{M}])/u,
  // Not "ፖ.ሳሙኤል", an initial and a name.
  /ፖ\.[ሣሳ](?:ቁ|(?!\p{L}))/u,
])

const PLAIN = /^[ -~]*$/
/** "Pf.: 12", "PK: 12" */
const COLON_BEFORE_NUMBER = /(?<=[\p{L}.]) ?:(?= ?\p{Nd})/gu
/** "n.º 12", "núm. 12", "número 12" */
const NUMBER_WORD = /\bN(?:\.O\.?|UM(?:ERO|\.)?)(?= ?\d)/g
/** "Pº 9", a promenade in Spain. The sign becomes a letter below. */
const PASEO = /\bP\.?º(?!\.?\s?B)/giu
/** "POSTFACH12": patterns that end with a word find its end before a space. */
const NUMBER_BEHIND_WORD = /(?<=[A-Z]{3})(?=\d)/g
const PRIVATE_MAILBOX = /\bP\.?M\.?B\.? ?#? ?\d|\bPOSTNET SUITE ?\d/

/**
 * Normalises a line for comparison: NFKC, upper case, letters without accents, single spaces, no invisible characters, no
 * colon before a number, a space between word and number, one word for "number", one Arabic yeh, no Arabic letters made
 * longer.
 * Vowel signs stay: in Indic and Thai letters they are half of the word.
 */
function comparable(line: string): string {
  // Most lines are plain ASCII and need no normalisation.
  if (PLAIN.test(line)) return withPlainNumbers(line.toUpperCase().replace(/ {2,}/g, ' ')).trim()
  const text = line
    .replace(PASEO, 'PASEO ')
    .normalize('NFKD')
    .replace(/[\p{Script=Inherited}\p{Cf}\u0640]/gu, '')
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[‐‑‒–—]/gu, '-')
    .replace(/[·•‧]/gu, '.')
    .replace(/\s+/gu, ' ')
  return withPlainNumbers(text).replaceAll('ي', 'ی').trim()
}

function withPlainNumbers(line: string): string {
  return line.replace(COLON_BEFORE_NUMBER, '').replace(NUMBER_WORD, 'NO').replace(NUMBER_BEHIND_WORD, ' ')
}

const WORDS = BOX_WORDS.map(comparable)
/** The same written as one word: पोस्टबॉक्स. Not abbreviations, which begin names too. */
const JOINED_WORDS = WORDS.filter((word) => / /.test(word) && !word.includes('.')).map((word) =>
  word.replaceAll(' ', ''),
)
/** Han and Hangul words with spaces: 私 書 箱. */
const SPACED_WORDS = WORDS.filter((word) => /^[\p{Script=Han}\p{Script=Hangul}]{3,}$/u.test(word)).map((word) =>
  [...word].join(' '),
)
const ALL_WORDS = [...WORDS, ...SPACED_WORDS]
const SLASHED = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${SLASHED_WORDS.map(comparable).join('|')})(?!\p{L})`, 'u')

/** Cyrillic, Greek and other letters that look like a letter of "PO Box". */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({ B: 'ВΒʙ', O: 'ОΟՕØᴏ', P: 'РΡᴘ', S: 'Ѕ', T: 'ТΤ', X: 'ХΧ×' }).flatMap(([latin, others]) =>
    [...others].map((other) => [other, latin] as const),
  ),
)
/** Without "P.O.B. 9" and "POBOX 9": both are words of other alphabets, such as "ров 9". */
const LOOK_ALIKE_BOX = [/\bP[ ./_-]{0,3}[O0][ ./_-]{1,3}B[O0] ?X(?:ES)?\b/, /\bPOST OFFICE BOX\b/]
/** A word of two alphabets is a word of neither. */
const HAS_MIXED_WORD = /[A-Z0][^ -~]|[^ -~][A-Z0]/
const POBOX = /\bP[O0]B[O0]X(?:ES)?\b/
const LOOK_ALIKE_BARE_BOX = /^BOX ?#? ?\d/

/** Not "पोस्ट बक्सर" or "পোস্ট বক্সিরহাট", the post offices of Buxar and Boxirhat. */
const LOAN = new RegExp(
  String.raw`(?:${LOAN_WORDS.map((word) =>
    comparable(word)
      .replaceAll('.', String.raw`\.`)
      .replaceAll(' ', ' ?'),
  ).join('|')})(?:(?![\p{L}\p{M}])|(?=${NUMBER_SIGNS.map(comparable).join('|')}))`,
  'u',
)

function holdsWord(text: string): boolean {
  const joined = text.replaceAll(' ', '')
  return (
    LOAN.test(text) ||
    ALL_WORDS.some((word) => text.includes(word)) ||
    JOINED_WORDS.some((word) => joined.includes(word)) ||
    SLASHED.test(text)
  )
}

/** Checks whether letters that look Latin spell "PO Box". */
function looksLikePoBox(text: string, country: string): boolean {
  // Any other letter ends as J, so that no word begins after it.
  const asLatin = (letter: string) => LOOK_ALIKES.get(letter) ?? (/\p{L}/u.test(letter) ? 'J' : letter)
  const latin = text.replace(/[^ -~]/gu, asLatin)
  if (LOOK_ALIKE_BOX.some((pattern) => pattern.test(latin))) return true
  if (HAS_MIXED_WORD.test(text) && POBOX.test(latin)) return true
  return country !== 'BE' && LOOK_ALIKE_BARE_BOX.test(latin)
}

/** Lines of one text: each is a part of its own. */
const LINE_BREAKS = /[\t\n\r\u2028\u2029]+/g

/**
 * Checks whether an address line names a PO box, in US and other spellings.
 *
 * @param country Code of the address's country: some abbreviations mean a PO box only there.
 */
export function isPoBox(line: string, country = ''): boolean {
  const rest = withoutExceptions(comparable(line.replace(LINE_BREAKS, ', ')), country)
  return (
    namesPoBox(rest) ||
    (country !== 'BE' && BARE_BOX.test(rest) && !BOX_OF_HOUSE.test(rest)) ||
    namesParcelLocker(rest) ||
    BY_COUNTRY.some(({ countries, pattern }) => countries.has(country) && pattern.test(rest)) ||
    (!PLAIN.test(rest) && (holdsWord(rest) || looksLikePoBox(rest, country)))
  )
}

/** Checks whether an address line names a private mailbox (`PMB 456`). */
export function isPrivateMailbox(line: string): boolean {
  return PRIVATE_MAILBOX.test(comparable(line))
}
