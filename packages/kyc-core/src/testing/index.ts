export { sampleSubmission } from './sample-submission.js'
