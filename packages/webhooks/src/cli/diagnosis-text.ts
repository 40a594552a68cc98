import type { Diagnosis } from '../signature/explain-mismatch.js'
import type { Palette } from './colours.js'

/** Formats a diagnosis in three lines. */
export function diagnosisText({ cause, confidence, evidence, fix, probes }: Diagnosis, palette: Palette): string {
  const sure = { proved: 'proved', probable: 'probable', none: 'no cause found' }[confidence]
  return [
    `  ${palette.strong(evidence)} ${palette.faint(`${cause}, ${sure}, ${probes} variants tried`)}`,
    `  Fix: ${fix}`,
  ].join('\n')
}
