import { domainToUnicode } from 'node:url'

/** Scripts that may be combined in one label (Unicode TS 39, 5.2, "highly restrictive"). */
const scriptsOfOneLabel = [
  /^[\p{Script=Latin}\p{Mn}0-9-]+$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー0-9-]+$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Bopomofo}0-9-]+$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hangul}0-9-]+$/u,
  ...['Cyrillic', 'Greek', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Thai', 'Devanagari', 'Bengali', 'Tamil'].map(
    (script) => new RegExp(`^[\\p{Script=${script}}\\p{Mn}\\p{Mc}0-9-]+$`, 'u'),
  ),
]

/** Cyrillic and Greek letters that look like Latin ones. A label of only these letters imitates a Latin name. */
const latinLookAlikes = /^[аеорсухѕіјһӏԁԛԝьɡοναρυιτχ0-9-]+$/u

/**
 * Checks that an internationalised name does not imitate another name. Each label has one script and must not imitate a
 * Latin name. A name outside ASCII must be written as it is stored, so full-width digits and dots are refused.
 *
 * @param written - the name as given
 * @param ascii - the name as parsed, internationalised labels as `xn--…`
 */
export function isHonestName(written: string, ascii: string): boolean {
  const unicode = domainToUnicode(ascii)
  // eslint-disable-next-line no-control-regex
  const isAscii = /^[\x00-\x7f]*$/.test(written)
  if (!isAscii && written.normalize('NFC').toLowerCase().replace(/\.$/, '') !== unicode) return false
  const labels = unicode.split('.')
  const topLevelIsLatin = /^[a-z0-9-]+$/.test(labels.at(-1) ?? '')
  return labels.every((label) => {
    if (/^[a-z0-9_-]+$/.test(label)) return true
    const oneScript = scriptsOfOneLabel.some((scripts) => scripts.test(label))
    return oneScript && !(topLevelIsLatin && latinLookAlikes.test(label))
  })
}
