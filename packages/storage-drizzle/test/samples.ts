export * from '../src/testing/sample-records.js'
