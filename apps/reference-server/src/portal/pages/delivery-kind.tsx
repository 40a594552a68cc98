import type { DeliveryRecord } from '@kyc-relay/webhooks/delivery'
import type { FC } from 'hono/jsx'

/** Renders marks of a test event or a resend. */
export const DeliveryKind: FC<{ readonly delivery: DeliveryRecord }> = ({ delivery }) => (
  <>
    {delivery.test ? <span class="tag">test</span> : null}{' '}
    {delivery.resendOf === null ? null : <span class="tag">resend</span>}
  </>
)
