import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Names and colours of pino's level numbers. */
const levels: Readonly<Record<number, readonly [name: string, format: Format]>> = {
  10: ['trace', 'gray'],
  20: ['debug', 'gray'],
  30: ['info ', 'green'],
  40: ['warn ', 'yellow'],
  50: ['error', 'red'],
  60: ['fatal', 'red'],
}

/**
 * Converts a JSON log line for a terminal: time of day (UTC), level, message, and fields as `name=value`.
 *
 * @example
 * ```text
 * 10:00:00 info  listening listener=api port=4000
 * ```
 */
export function readableLine(jsonLine: string, coloured: boolean): string {
  const { level, time, msg, ...fields } = JSON.parse(jsonLine) as { level: number; time: string; msg: string }
  const paint = (format: Format, text: string) => (coloured ? styleText(format, text, { validateStream: false }) : text)
  const [name, format] = levels[level] ?? [String(level), 'gray']
  const shown = Object.entries(fields).map(([key, value]) => paint('gray', ` ${key}=`) + String(value))
  return `${paint('gray', time.slice(11, 19))} ${paint(format, name)} ${msg}${shown.join('')}\n`
}
