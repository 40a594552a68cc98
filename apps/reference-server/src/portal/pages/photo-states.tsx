import type { PhotoRecord, PhotoState } from '@kyc-relay/kyc-core'
import type { FC } from 'hono/jsx'
import { State, type Tone } from './parts.js'

const marks: Readonly<Record<PhotoState, readonly [tone: Tone, text: string]>> = {
  PENDING: ['quiet', 'To be fetched'],
  STORED: ['good', 'Stored'],
  UNAVAILABLE: ['bad', 'Unavailable'],
  ERASED: ['quiet', 'Erased'],
}

/** Which photos a verification has and where each stands; the photos themselves are never shown. */
export const PhotoStates: FC<{ readonly photos: readonly PhotoRecord[] }> = ({ photos }) =>
  photos.length === 0 ? (
    <>none</>
  ) : (
    <>
      {photos.map(({ side, state }) => {
        const [tone, text] = marks[state]
        return (
          <>
            {side} <State tone={tone}>{text}</State>{' '}
          </>
        )
      })}
    </>
  )
