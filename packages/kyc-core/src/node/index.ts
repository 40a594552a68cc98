export { addAuditKey, addSealKey, createKeyFile, parseKeyFile, type KeyFile, type LocalKey } from './key-file.js'
export { createLocalAuditSeal } from './local-audit-seal.js'
export { createLocalCipher } from './local-cipher.js'
export { createRandomPool } from './random-pool.js'
