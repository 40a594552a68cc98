import type { PhotoRecord, PhotoState } from '@kyc-relay/kyc-core/photos'
import type { FC } from 'hono/jsx'
import { durationText } from '../format.js'
import { Instant, State, type Tone } from './components.js'
import { RecordTable } from './record-table.js'

const marks: Readonly<Record<PhotoState, readonly [tone: Tone, text: string, meaning: string]>> = {
  PENDING: ['warn', 'To be fetched', 'Its first attempt has not ended yet.'],
  RETRYING: [
    'warn',
    'Tried again',
    'Until 24 hours after the submission, for up to three days where we were at fault.',
  ],
  STORED: ['good', 'Stored', 'Sealed, under the key of its user.'],
  REFUSED: ['bad', 'Refused', 'What its URL leads to is not taken: no photo, too large, or not a place to fetch from.'],
  UNAVAILABLE: ['bad', 'Unavailable', 'Not to be had in its time, or its server said that it is gone.'],
  ERASED: ['quiet', 'Erased', 'Gone with the personal data of its user.'],
}

/** Which photos a verification has and where each stands; the photos themselves are never shown. */
export const PhotoStates: FC<{ readonly photos: readonly PhotoRecord[]; readonly now: Date }> = ({ photos, now }) => (
  <section aria-labelledby="photos">
    <h2 id="photos">Photos</h2>
    {photos.length === 0 ? (
      <p class="hint">None was submitted.</p>
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
          { label: 'What that means' },
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
