import { printableJson, type Palette } from './colours.js'
import { diagnosisText } from './diagnosis-text.js'
import type { Received } from './listener.js'

/** Formats one received request for people. */
export function printReceived(received: Received, at: Date, palette: Palette): string {
  const time = palette.faint(at.toISOString().slice(11, 23))
  const answered = received.answered === null ? 'connection closed' : `answered ${received.answered}`
  if (!received.verified) {
    const head = `${time} ${palette.bad(`refused: ${received.code}`)} ${palette.faint(answered)}`
    return received.diagnosis ? `${head}\n${diagnosisText(received.diagnosis, palette)}` : head
  }
  const { eventId, type, test, duplicate, forwarded, event } = received
  const remarks = [
    test ? 'test event' : '',
    duplicate ? 'duplicate: this X-Event-ID was received before' : '',
    forwarded.length > 0 ? `forwarded: ${forwarded.map((status) => status ?? 'no answer').join(', ')}` : '',
    answered,
  ].filter((remark) => remark !== '')
  return [
    `${time} ${palette.good('verified')} ${palette.strong(type)} ${eventId} ${palette.faint(remarks.join(' · '))}`,
    printableJson(event, 2),
  ].join('\n')
}
