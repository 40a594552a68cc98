/** Error that stops a start. `message` is a fixed text. */
export class StartError extends Error {
  constructor(
    readonly code:
      | 'DATA_DIR_UNUSABLE'
      | 'DATABASE_NOT_OPENED'
      | 'DATABASES_SWAPPED'
      | 'DRIVER_UNUSABLE'
      | 'KEY_FILE_MISSING'
      | 'KEY_FILE_INVALID'
      | 'KEY_FILE_WRONG'
      | 'KEY_FILE_READABLE_BY_OTHERS'
      | 'HOST_UNUSABLE'
      | 'INTERNAL_TOKEN_INVALID'
      | 'OPERATOR_TOKEN_INVALID'
      | 'EVENT_TYPES_FILE_INVALID'
      | 'EVENT_TYPES_FILE_MISSING'
      | 'OPERATORS_FILE_INVALID'
      | 'OPERATORS_FILE_MISSING'
      | 'PHOTO_STORAGE_UNUSABLE'
      | 'PORT_UNUSABLE'
      | 'TLS_REQUIRED'
      | 'VAULT_INCOMPLETE'
      | 'VAULT_MISSING'
      | 'TLS_FILES_INVALID',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'StartError'
  }
}
