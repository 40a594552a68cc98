import type { Submission } from '@kyc-relay/kyc-core'
import { createLeakSearch } from './leak-search.js'
import { submissionVariables } from './submission-variables.js'

/** Values of one invented person that appear nowhere else in this repository's data. */
export const canary = {
  ssn: '536-90-4399',
  dateOfBirth: '1971-11-23',
  firstName: 'Zoëqx',
  middleName: 'Wulfqxa',
  lastName: 'Vyntharqx',
  street: '7714 Quixwold Crescent',
  city: 'Zyxwvutburg',
  phone: '+15552047731',
  email: 'qzxv.persona@canary.example',
  documentNumber: 'QZX7714409K',
  documentStreet: '4177 Dlowxiuq Way',
  photo: 'https://photos.example.com/qzxvfoto-front.jpg?sig=qzxvsig',
  personData: 'persodatum qzxv',
  decisionReason: 'grund-qzxv 4711',
  reason: 'raison qzxv',
  documentData: 'docudatum qzxv',
  providerData: 'beifang qzxv',
}
/** Looks for them, in every spelling that somebody might store or log. */
export const search = createLeakSearch([
  ...Object.entries(canary).map(([name, value]) => ({ name, forms: [value] })),
  { name: 'ssn', forms: ['536904399', '536 90 4399', '536.90.4399', '536–90–4399'] },
  { name: 'dateOfBirth', forms: ['19711123', '11/23/1971', '23.11.1971', String(Date.UTC(1971, 10, 23))] },
  { name: 'phone', forms: ['5552047731'] },
  { name: 'photo', forms: ['qzxvfoto', 'qzxvsig'] },
])

/** The person as a partner would send it, with every field. */
export const person = {
  firstName: canary.firstName,
  middleName: canary.middleName,
  lastName: canary.lastName,
  dateOfBirth: canary.dateOfBirth,
  ssn: canary.ssn,
  ssnLast4: '4399',
  phoneNumber: canary.phone,
  emailAddress: canary.email,
  address: {
    streetLine1: canary.street,
    city: canary.city,
    subdivision: 'IL',
    postalCode: '62701',
    countryCode: 'US',
  },
  personData: { note: canary.personData },
} satisfies Record<keyof Submission['person'], unknown>
/** The section with the most personal data in it. */
export const document = {
  verificationId: 'doc-1',
  status: 'PASSED',
  documentClass: 'PASSPORT',
  documentNumber: canary.documentNumber,
  issuingCountryCode: 'US',
  address: { streetLine1: canary.documentStreet, city: canary.city },
  photos: { front: canary.photo },
  checks: [{ name: 'face_match', status: 'PASSED', reasons: [canary.reason] }],
  documentData: { note: canary.documentData },
}
/** All three sections. */
export const verifications = {
  document,
  ssn: { verificationId: 'ssn-1', status: 'PASSED', source: 'TIN_DATABASE', ssnData: { note: canary.personData } },
  database: { verificationId: 'db-1', status: 'PASSED', databaseData: { note: canary.providerData } },
}
/** A submission in which everything personal is a canary. */
export const canarySubmission = (changes: Record<string, unknown> = {}) => ({
  ...submissionVariables(),
  decisionReason: canary.decisionReason,
  person,
  verifications,
  externalProviderData: { note: canary.providerData },
  ...changes,
})
/** The same with parts of the person changed. */
export const withPerson = (changes: Record<string, unknown>) => canarySubmission({ person: { ...person, ...changes } })
