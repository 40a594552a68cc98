import type { DeliveryRecord } from '@kyc-relay/webhooks/delivery'
import type { FC } from 'hono/jsx'

/** What sets a delivery apart from an ordinary one. */
export const DeliveryKind: FC<{ readonly delivery: DeliveryRecord }> = ({ delivery }) => (
  <>
    {delivery.test ? <span class="tag">test</span> : null}{' '}
    {delivery.resendOf === null ? null : <span class="tag">resend</span>}
  </>
)
