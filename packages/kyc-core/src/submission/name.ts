import type { TextRule } from './field-schema.js'

/** Left-to-right, right-to-left and Arabic letter marks: text copied from a page often begins or ends with one. */
const DIRECTION_MARKS: ReadonlySet<string> = new Set(['\u200e', '\u200f', '\u061c'])
/** Format characters, and letters and marks without a visible form (Hangul fillers, blank Braille). */
const INVISIBLE = /[\p{Cf}\u115f\u1160\u3164\uffa0\u2800]/u
/**
 * Joiners of Indic and Persian letters, the vowel separator of Mongolian, and the space without width that the space bar
 * of Khmer keyboards types between words.
 */
const JOINERS = /\u200c|\u200d|\u180e|(?<=[\p{Script=Khmer}\p{Script=Lao}\p{Script=Thai}\p{Script=Myanmar}])\u200b+/gu
/** Unicode counts the zero among Han characters as a number, and the radicals that a PDF gives for them as symbols. */
const LETTER = /[\p{L}\p{Script=Han}]/u

/** Quotation marks around a part of a name, usually a nickname, and brackets around a former family name in Japan. */
const QUOTED =
  /"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|”([^”]+)”|‚([^‚‘’]+)[‘’]|«([^«»]+)»|»([^«»]+)«|‹([^‹›]+)›|「([^「」]+)」|『([^『』]+)』|【([^【】]+)】|〔([^〔〕]+)〕|＂([^＂]+)＂|\[([^[\]]+)\]|［([^［］]+)］/gu
/** Marks that are part of a name only between letters, before a word, or between words. */
const IN_PLACE = [
  // Hebrew acronyms, typed with a quotation mark for the gershayim
  /(?<=\p{Script=Hebrew})["”“„](?=\p{Script=Hebrew})/gu,
  // Cypriot names with the first part cut: Χ"Γεωργίου
  /(?<=\p{Script=Greek})["”“„¨](?=\p{Script=Greek})/gu,
  // Ukrainian apostrophes, typed on a keyboard without one: Мар"яна
  /(?<=\p{Script=Cyrillic})["”“„](?=\p{Script=Cyrillic})/gu,
  // The same, as registers print it: Лук*янов
  /(?<=[бвмпфрк])\*(?=[єіїюя])/giu,
  // Spanish and Portuguese abbreviations, typed with a degree sign: Franc° Javier
  /(?<=\p{Script=Latin})°/gu,
  // Former and common names on Japanese and Chinese forms: 斎藤（旧姓：山田）
  /(?<=旧姓|旧氏|舊姓|通称|曾用名)[:：](?=\p{L})/gu,
  // Swedish and Finnish contractions: S:son
  /(?<=[\p{L}\p{M}]):(?=\p{L})/gu,
  // Bengali abbreviations and Devanagari names, typed with a colon for the visarga
  /(?<=[\p{Script=Bengali}\p{Script=Devanagari}]):/gu,
  // Bengali abbreviations in Latin letters, and "son of": Md: Rahim, S/O: Ram
  /(?<=(?:^|\p{Zs})(?:Md|Mst|Mosa|Most|Mohd|[SDWC]\/O)\p{Zs}?):(?=\p{Zs}?\p{L})/giu,
  // Japanese transliterations of double names
  /(?<=[\p{L}\p{M}])＝(?=\p{L})|(?<=[\p{Script=Katakana}\p{M}ー])=(?=\p{Script=Katakana})/gu,
  // Honorific signs behind Arabic names
  /(?<=\p{Script=Arabic}\p{Zs}?)[\ufd40-\ufd4f\ufdcf\ufdfe\ufdff]/gu,
  // A click consonant, typed on a Latin keyboard: !Naruseb, N!xau, ||Garoëb, ‡Khomani
  /(?<=(?:^|[\p{Zs}/-])[GNgn]?)(?:[!‡≠]|\|\|?)(?=\p{L})/gu,
  // "also known as" in Malaysia and Singapore, with a space on one side: before a capital letter, so not "@home"
  /(?<=\p{Zs})@(?=[\p{Lu}\p{Lo}])|(?<=[\p{L}\p{M}.])@(?=\p{Zs}[\p{Lu}\p{Lo}])/gu,
  // The same with spaces on both sides; without spaces on identity cards, where a word and no domain follows
  /(?<=^|\p{Zs})@(?=\p{Zs})|(?<=\p{Zs})@$|(?<=[\p{L}\p{M}])@(?!(?:gmail|googlemail|hotmail|icloud|outlook|protonmail|yahoo)(?:\p{Zs}|$))(?=[\p{L}\p{M}'’-]+(?:\p{Zs}|$))/giu,
] as const

const SPACES = String.raw`\p{Zs}\u1361`
const APOSTROPHES = String.raw`'’‘‛\u2032${'`'}´＇\u0384\u1fbd\u055a\u05f3\u05f4`
const HYPHENS = String.raw`\-‐‑‒–—―−－\u05be\u058a\u1400\u1806\u30a0`
const DOTS = String.raw`.\u2024·•‧∙⋅・･．｡。\u0387\u06d4\u0970\u0af0\u09fd\u0f0b\u0f0c\u0f0d`
const OTHERS = String.raw`,，\u060c/／()（）\ua789`
/** Letters and marks of any script, digits, spaces, and the punctuation of names. */
const NAME = new RegExp(
  String.raw`^[\p{L}\p{M}\p{N}\p{Script=Han}${SPACES}${APOSTROPHES}${HYPHENS}${DOTS}${OTHERS}]+$`,
  'u',
)

/** Removes direction marks before and after a text. */
export function withoutDirectionMarks(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && DIRECTION_MARKS.has(text.charAt(start))) start += 1
  while (end > start && DIRECTION_MARKS.has(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}

/** Accepts a name of any script; refuses invisible characters and text without a letter. */
export const nameRule: TextRule = (text) => {
  // A click such as `≠` is two characters when it is decomposed.
  const visible = text.normalize('NFC').replace(JOINERS, '')
  if (INVISIBLE.test(visible)) return 'CONTROL_CHARACTER'
  if (!LETTER.test(visible)) return 'FORMAT'
  if (NAME.test(visible)) return null
  const plain = IN_PLACE.reduce((rest, mark) => rest.replace(mark, ''), visible.replace(QUOTED, unquoted))
  return NAME.test(plain) ? null : 'FORMAT'
}

/** Returns the text between quotation marks: the one group of {@link QUOTED} that matched. */
function unquoted(match: string): string {
  return match.slice(1, -1)
}

/** Checks for the sign of registers that have one name only: a single hyphen or full stop as last name. */
export function isNoLastName(text: string): boolean {
  return text === '-' || text === '.'
}
