import type { PhotoRecord, PhotoState } from '@kyc-relay/kyc-core/internal'
import type { FC } from 'hono/jsx'
import { durationText } from '../format.js'
import { Instant, State, type Tone } from './components.js'
import { RecordTable } from './record-table.js'

const marks: Readonly<Record<PhotoState, readonly [tone: Tone, text: string, meaning: string]>> = {
  PENDING: ['warn', 'To be fetched', 'The first attempt has not ended.'],
  RETRYING: [
    'warn',
    'Tried again',
    'Retries continue for 24 hours after the submission, or up to three days after a fault of the service.',
  ],
  STORED: ['good', 'Stored', 'Stored, sealed under the data key of its user.'],
  REFUSED: [
    'bad',
    'Refused',
    'The content is not a photo or too large, or the URL leads to an address that is not allowed.',
  ],
  UNAVAILABLE: ['bad', 'Unavailable', 'The photo could not be fetched in time, or its server answered 410.'],
  ERASED: ['quiet', 'Erased', 'Erased with the personal data of its user.'],
}

/** Renders the photos of a verification with their states. The photos themselves are never shown. */
export const PhotoStates: FC<{ readonly photos: readonly PhotoRecord[]; readonly now: Date }> = ({ photos, now }) => (
  <section aria-labelledby="photos">
    <h2 id="photos">Photos</h2>
    {photos.length === 0 ? (
      <p class="hint">The submission has no photos.</p>
    ) : (
      <RecordTable
        label="Table of photos"
        columns={[
          { label: 'Photo', heads: true },
          { label: 'State' },
          { label: 'Attempts' },
          { label: 'Next attempt' },
          { label: 'Last failure' },
          { label: 'Ended' },
          { label: 'Meaning of the states' },
        ]}
        rows={photos.map((photo) => {
          const [tone, text, meaning] = marks[photo.state]
          return [
            photo.side,
            <State tone={tone}>{text}</State>,
            photo.attemptsMade,
            <span class="nowrap">{nextAttemptText(photo, now)}</span>,
            photo.lastFailure === null ? 'none' : <code>{photo.lastFailure}</code>,
            photo.endedAt === null ? 'not yet' : <Instant at={photo.endedAt} />,
            <span class="hint">{meaning}</span>,
          ]
        })}
      />
    )}
  </section>
)

function nextAttemptText({ nextAttemptAt, endedAt }: PhotoRecord, now: Date): string {
  if (endedAt !== null) return 'none'
  if (nextAttemptAt === null) return 'under way'
  return nextAttemptAt > now ? `in ${durationText(nextAttemptAt.getTime() - now.getTime())}` : 'due now'
}
