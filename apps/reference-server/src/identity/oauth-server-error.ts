/** Error for an outage of the OAuth server, without which a token cannot be checked. A retry may work. */
export class OauthServerError extends Error {
  readonly code = 'OAUTH_SERVER_UNAVAILABLE'
  readonly retryable = true
  constructor() {
    super('The OAuth server does not answer, or not with what was asked for.')
    this.name = 'OauthServerError'
  }
}
