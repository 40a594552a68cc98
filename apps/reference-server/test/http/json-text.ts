/** The reader of request bodies, for the campaign proof/fuzz. It is not public. */
export { parseJsonObject } from '../../src/http/json-body.js'
