/** The OAuth server did not give what is needed to check a token. A retry may work: this is an outage, not a refusal. */
export class OauthServerError extends Error {
  readonly code = 'OAUTH_SERVER_UNAVAILABLE'
  readonly retryable = true
  constructor() {
    super('The OAuth server does not answer, or not with what was asked for.')
    this.name = 'OauthServerError'
  }
}
