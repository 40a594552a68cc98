import type { KycStatus, VerificationRecord } from '@kyc-relay/kyc-core'
import type { FC } from 'hono/jsx'
import { State } from './components.js'

export const DecisionMark: FC<{ readonly decision: 'PASSED' | 'FAILED' }> = ({ decision }) =>
  decision === 'PASSED' ? <State tone="good">Passed</State> : <State tone="bad">Failed</State>

export const KycStatusMark: FC<{ readonly status: KycStatus }> = ({ status }) =>
  status === 'UNVERIFIED' ? <State tone="quiet">{status}</State> : <State tone="good">{status}</State>

export const StatusLog: FC<{ readonly log: VerificationRecord['statusLog'] }> = ({ log }) =>
  log.previous === log.next ? (
    <>
      <code>{log.next}</code> kept
    </>
  ) : (
    <>
      <code>{log.previous}</code> → <code>{log.next}</code>
    </>
  )

export const Codes: FC<{ readonly codes: readonly string[] }> = ({ codes }) =>
  codes.length === 0 ? (
    <>none</>
  ) : (
    <>
      {codes.map((code, index) => (
        <>
          {index === 0 ? '' : ', '}
          <code>{code}</code>
        </>
      ))}
    </>
  )
