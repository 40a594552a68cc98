export { addSealKey, createKeyFile, parseKeyFile, type KeyFile, type LocalKey } from './key-file.js'
export { keyedHash } from './keyed-hash.js'
export { createLocalCipher } from './local-cipher.js'
export { createRandomPool } from './random-pool.js'
