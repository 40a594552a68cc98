/**
 * An opaque reference to one value in the vault: `tok_<field>_<26 or more base62>`, for an SSN followed by `_<last4>`.
 * Contains letters and underscores, so it can never be mistaken for an SSN (decision 14).
 */
export type Token = `tok_${string}`
