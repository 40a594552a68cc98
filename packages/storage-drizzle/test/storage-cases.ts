// What cases of stores are written with, also those of the reference server.
export { race, refused, reopenCase, storageCase, type StorageCase } from '../src/testing/storage-case.js'
export { claimRequest, endpoint, event, report, startOfTests, submission, uuid } from '../src/testing/sample-records.js'
