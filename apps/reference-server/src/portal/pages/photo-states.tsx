import type { PhotoRecord, PhotoState } from '@kyc-relay/kyc-core'
import type { FC } from 'hono/jsx'
import { State, type Tone } from './parts.js'

const marks: Readonly<Record<PhotoState, readonly [tone: Tone, text: string, meaning: string]>> = {
  PENDING: [
    'warn',
    'To be fetched',
    'Tried until 24 hours after the submission, for up to three days where we were at fault.',
  ],
  STORED: ['good', 'Stored', 'Sealed, under the key of its user.'],
  UNAVAILABLE: [
    'bad',
    'Unavailable',
    'Refused by its server, no photo, or not to be had in its time. The log says which.',
  ],
  ERASED: ['quiet', 'Erased', 'Gone with the personal data of its user.'],
}

/** Which photos a verification has and where each stands; the photos themselves are never shown. */
export const PhotoStates: FC<{ readonly photos: readonly PhotoRecord[] }> = ({ photos }) => (
  <section aria-labelledby="photos">
    <h2 id="photos">Photos</h2>
    {photos.length === 0 ? (
      <p class="hint">None was submitted.</p>
    ) : (
      <div class="scroll" role="region" aria-label="Table of photos" tabindex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Photo</th>
              <th scope="col">State</th>
              <th scope="col">What that means</th>
            </tr>
          </thead>
          <tbody>
            {photos.map(({ side, state }) => {
              const [tone, text, meaning] = marks[state]
              return (
                <tr>
                  <th scope="row">{side}</th>
                  <td>
                    <State tone={tone}>{text}</State>
                  </td>
                  <td>
                    <span class="hint">{meaning}</span>
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    )}
  </section>
)
