/** Digits in English and Spanish words, as in the transcript of a call, and what is said for the dashes. */
const WORDS: Readonly<Record<string, string>> = {
  ZERO: '0',
  NOUGHT: '0',
  ONE: '1',
  TWO: '2',
  THREE: '3',
  FOUR: '4',
  FIVE: '5',
  SIX: '6',
  SEVEN: '7',
  EIGHT: '8',
  NINE: '9',
  CERO: '0',
  UNO: '1',
  DOS: '2',
  TRES: '3',
  CUATRO: '4',
  CINCO: '5',
  SEIS: '6',
  SIETE: '7',
  OCHO: '8',
  NUEVE: '9',
  DASH: '-',
  HYPHEN: '-',
  MINUS: '-',
  GUION: '-',
  GUIÓN: '-',
  RAYA: '-',
  MENOS: '-',
  // Last: they begin other words.
  OH: '0',
  O: '0',
}
const ANY_WORD = Object.keys(WORDS).join('|')
const WORD = new RegExp(ANY_WORD, 'g')
/** Words by themselves, or written as one: "zeroSevenEight". */
const WHOLE_WORDS = new RegExp(String.raw`(?<![A-Z])(?:${ANY_WORD})+(?![A-Z])`, 'g')
const HAS_WHOLE_WORD = new RegExp(WHOLE_WORDS, '')

/** Returns a folded text with digits in place of words for them. */
export function withDigitsForWords(folded: string): string {
  // Most texts end here.
  if (!HAS_WHOLE_WORD.test(folded)) return folded
  return folded.replace(WHOLE_WORDS, (words) => words.replace(WORD, (word) => WORDS[word] ?? word))
}
