import type { FC } from 'hono/jsx'
import type { Evidence } from '../../evidence/read-evidence.js'
import { textLeaves, visibleText } from '../format.js'
import type { Session } from '../sessions.js'
import { CopyBlock, describedBy, Fact, FieldProblem, Instant } from './components.js'
import { CsrfField, PortalFrame } from './portal-frame.js'
import { RecordTable } from './record-table.js'
import { Codes, DecisionMark } from './status-badges.js'

/** Address of the page of a verification; its forms are below it. */
export const verificationPath = (of: Pick<Evidence, 'appId' | 'userId' | 'verificationId'>) =>
  `/portal/kyc/${of.appId}/${of.userId}/${of.verificationId}`

/** Renders the form that asks why the sealed record is opened. */
export const PurposeForm: FC<{
  readonly session: Session
  readonly path: string
  readonly problem: string | null
}> = ({ session, path, problem }) => (
  <section aria-labelledby="open">
    <h2 id="open">Sealed record</h2>
    <p>
      Name, date of birth, address, reasons and every free-form part are sealed. Your name and purpose are recorded.
    </p>
    <form method="post" action={`${path}/evidence`}>
      <CsrfField session={session} />
      <div class="field">
        <label for="purpose">Purpose</label>
        <input
          id="purpose"
          name="purpose"
          type="text"
          required
          maxlength={200}
          autocomplete="off"
          {...describedBy('purpose', problem, 'purpose-hint')}
        />
        <FieldProblem field="purpose" problem={problem} />
        <span class="hint" id="purpose-hint">
          For example the number of the examination. At most 200 characters, without personal data.
        </span>
      </div>
      <button type="submit" class="primary">
        Open the sealed record
      </button>
    </form>
  </section>
)

/** Renders the opened record of a verification: the SSN is masked, and the document number is never shown. */
export const EvidencePage: FC<{
  readonly session: Session
  readonly evidence: Evidence
  readonly purpose: string
}> = ({ session, evidence, purpose }) => {
  const path = verificationPath(evidence)
  return (
    <PortalFrame
      title="Sealed record"
      session={session}
      place="kyc"
      crumbs={[
        { label: 'Operator' },
        { label: 'KYC verifications', href: `/portal/kyc?user=${evidence.userId}` },
        { label: 'Verification', href: path },
        { label: 'Sealed record' },
      ]}
      lead={<code>{evidence.verificationId}</code>}
    >
      <section aria-label="Facts">
        <dl class="facts wide">
          <Fact name="Recorded purpose">{visibleText(purpose)}</Fact>
          <Fact name="Decision">
            <DecisionMark decision={evidence.decision} />
          </Fact>
          <Fact name="Decision reason">{visibleText(evidence.decisionReason ?? 'not given')}</Fact>
          <Fact name="Decline codes">
            <Codes codes={evidence.declineCodes} />
          </Fact>
          <Fact name="Decided">
            <Instant at={evidence.decisionedAt} />
          </Fact>
          <Fact name="Document number">
            {evidence.hasDocumentNumber ? 'given; only its hash is stored' : 'not given'}
          </Fact>
        </dl>
      </section>
      <Leaves title="Person" value={evidence.person} />
      <Leaves title="Verification sections" value={evidence.verifications} />
      <Photos session={session} path={path} purpose={purpose} photos={evidence.photos} />
      {evidence.externalProviderData === undefined ? null : (
        <section aria-labelledby="provider-data">
          <h2 id="provider-data">Data of the provider</h2>
          <CopyBlock
            id="provider-json"
            label="Data of the provider"
            text={visibleText(JSON.stringify(evidence.externalProviderData, null, 2))}
          />
        </section>
      )}
      {evidence.corrections.length === 0 ? null : (
        <Leaves title="Corrections of the KYC status" value={evidence.corrections} />
      )}
    </PortalFrame>
  )
}

/** Renders every value of an object with its path. */
const Leaves: FC<{ readonly title: string; readonly value: unknown }> = ({ title, value }) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    <RecordTable
      label={`Table: ${title}`}
      columns={[{ label: 'Field', heads: true }, { label: 'Value' }]}
      rows={textLeaves(value).map(([path, text]) => [<code>{visibleText(path)}</code>, visibleText(text)])}
    />
  </section>
)

const Photos: FC<{
  readonly session: Session
  readonly path: string
  readonly purpose: string
  readonly photos: Evidence['photos']
}> = ({ session, path, purpose, photos }) => (
  <section aria-labelledby="photos">
    <h2 id="photos">Photos</h2>
    {photos.length === 0 ? (
      <p class="hint">The submission has no photos.</p>
    ) : (
      <>
        <p class="hint">Each opened photo is recorded, with the same purpose.</p>
        <RecordTable
          label="Table of photos"
          columns={[{ label: 'Photo', heads: true }, { label: 'State' }, { label: 'Open', hidden: true }]}
          rows={photos.map(({ side, state }) => [
            side,
            <code>{state}</code>,
            state === 'STORED' ? (
              <form method="post" action={`${path}/photo`}>
                <CsrfField session={session} />
                <input type="hidden" name="purpose" value={purpose} />
                <button type="submit" name="side" value={side}>
                  Open the photo: {side}
                </button>
              </form>
            ) : null,
          ])}
        />
      </>
    )}
  </section>
)
