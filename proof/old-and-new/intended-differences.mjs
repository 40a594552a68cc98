// Every difference between the two that is meant, with its reason. A difference that no row here knows fails the run; a row
// that nothing matched is told, so that the list does not outlive its reasons.
//
// `matches` gets `{ kind, at, before, now }`: the kind of the command, a JSON Pointer into what was observed, and both values.

const audited =
  /^\/audit\/kinds\/(?:ACCESS_TOKEN_ISSUED|ENDPOINT_REGISTERED|ENDPOINT_REMOVED|GRANT_GIVEN|GRANT_NARROWED|GRANT_REVOKED|SIGNED_IN)$/

const securityHeader = /\/headers\/(?:strict-transport-security|x-content-type-options)$/

export const intendedDifferences = [
  {
    why: 'Every answer carries HSTS and nosniff.',
    matches: ({ at, before, now }) =>
      securityHeader.test(at) && before === undefined && ['max-age=31536000', 'nosniff'].includes(now),
  },
  {
    why: 'A violation names the object that has an unknown field, not the field: its name may be personal data.',
    matches: ({ at, before, now }) =>
      /\/violations(?:\/\d+(?:\/(?:pointer|message|code))?)?$/.test(at) && isUnknownField(before, now),
  },
  {
    why: 'A narrowed grant limits live tokens: a submission under it is refused, and so not recorded.',
    matches: ({ kind, at, before, now }) =>
      kind === 'narrowedGrant' || (kind === 'end' && at === '/audit/kinds/VERIFICATION_RECORDED' && now < before),
  },
  {
    why: 'Tokens, grants, endpoints and sign-ins are audit entries.',
    matches: ({ kind, at, before }) => kind === 'end' && audited.test(at) && before === undefined,
  },
]

/** Two unknown fields of one object are one violation now, so those behind it move up. */
function isUnknownField(before, now) {
  const texts = [before, now].map((one) => JSON.stringify(one) ?? '')
  if (texts[0].includes('UNKNOWN_FIELD') || texts[0].includes('not part of the contract')) return true
  if (texts[0].includes('has no such field')) return true
  const [was, is] = [before, now].map(String)
  return was.startsWith('/') && is === was.slice(0, was.lastIndexOf('/'))
}
