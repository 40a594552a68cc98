/** A text of JSON, or a number with an exponent, which has one digit before the point. */
const textOrExponent = /"(?:[^"\\]|\\.)*"|(?<![\d.])\d(?:\.\d+)?e[+-]\d+/g

/** Writes JSON with numbers in plain notation: `0.0000001` for `1e-7`, because not every receiver reads exponents. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(textOrExponent, (found) => (found.startsWith('"') ? found : plain(found)))
}

/** Moves the decimal point of `1.25e-9` as its exponent says. */
function plain(number: string): string {
  const [mantissa = '', exponent] = number.split('e')
  const places = Number(exponent)
  const digits = mantissa.replace('.', '')
  return places < 0 ? `0.${'0'.repeat(-places - 1)}${digits}` : digits.padEnd(places + 1, '0')
}
