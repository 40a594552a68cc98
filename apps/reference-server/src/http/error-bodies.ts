import { errorCatalogue, messageOf, type Refusal } from './error-catalogue.js'

/** `extensions` of a GraphQL error (violations where a submission breaks rules). */
export interface ErrorExtensions {
  readonly code: string
  readonly detail?: string
  readonly violations: readonly { readonly pointer: string; readonly code: string; readonly message: string }[]
  readonly requestId: string
  readonly retryable: boolean
}

/** `extensions` for a refusal. */
export function errorExtensions(
  refusal: Refusal,
  requestId: string,
  violations: ErrorExtensions['violations'] = [],
): ErrorExtensions {
  return {
    code: refusal.code,
    ...(refusal.detail === undefined ? {} : { detail: refusal.detail }),
    violations,
    requestId,
    retryable: errorCatalogue[refusal.code].retryable,
  }
}

/** The text of a code, for an invalid document with the reason and the position. */
function graphqlMessage({ code, problem }: Refusal): string {
  const { message } = errorCatalogue[code]
  const { reason, locations: [at] = [] } = problem ?? {}
  const place = at === undefined ? '' : ` (line ${at.line}, column ${at.column})`
  if (reason === undefined && place === '') return message
  return `${message.replace(/\.$/, '')}${reason === undefined ? '' : `: ${reason.replace(/\.$/, '')}`}${place}.`
}

/** The body of a GraphQL endpoint's error. */
export function graphqlErrorBody(refusal: Refusal, requestId: string): { contentType: string; body: string } {
  const { problem } = refusal
  const error = {
    message: graphqlMessage(refusal),
    ...(problem === undefined || problem.locations.length === 0 ? {} : { locations: problem.locations }),
    extensions: errorExtensions(refusal, requestId),
  }
  return { contentType: 'application/json; charset=utf-8', body: JSON.stringify({ errors: [error] }) }
}

/** Most violations of one answer: a request of a few kilobytes can have thousands. */
const mostViolations = 50

/** Problem details (RFC 9457) for everything that is not GraphQL. Of the violations only the first 50 are told. */
export function problemBody(
  refusal: Refusal,
  requestId: string,
  violations?: readonly { readonly pointer: string; readonly code: string }[],
): { contentType: string; body: string } {
  return {
    contentType: 'application/problem+json',
    body: JSON.stringify({
      type: 'about:blank',
      title: messageOf(refusal),
      status: refusal.status ?? errorCatalogue[refusal.code].status,
      code: refusal.code,
      ...(refusal.detail === undefined ? {} : { detail: refusal.detail }),
      ...(refusal.oldest === undefined ? {} : { oldest: refusal.oldest }),
      ...(refusal.kept === undefined ? {} : { kept: refusal.kept }),
      requestId,
      violations: violations?.slice(0, mostViolations),
    }),
  }
}
