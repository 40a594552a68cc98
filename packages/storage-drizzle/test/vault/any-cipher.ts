import { randomBytes } from 'node:crypto'
import { createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'

/** For tests to which the keys do not matter. */
export const cipher = createLocalCipher({ keys: parseKeyFile(createKeyFile({ randomBytes, now: new Date(0) })) })
