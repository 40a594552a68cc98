/** Allowed values in columns of the vault, on both engines. */
export const tokenizedFields = ['ssn', 'document_number'] as const
export const keyPurposes = ['seal', 'fingerprint', 'audit'] as const
