/** What columns of the vault may hold, on both engines. */
export const tokenizedFields = ['ssn', 'document_number'] as const
export const keyPurposes = ['seal', 'fingerprint', 'audit'] as const
