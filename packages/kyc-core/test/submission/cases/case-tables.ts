import { acceptedCases } from './accepted-cases.js'
import { acceptedCountries } from './accepted-countries.js'
import { acceptedNames } from './accepted-names.js'
import type { CaseGroup } from './case-row.js'
import { acceptedFormats, refusedFormats, warnedFormats } from './more-formats.js'
import { acceptedNeighbours, refusedLockers } from './parcel-lockers.js'
import { acceptedStreets, refusedBoxes } from './po-box-spellings.js'
import { refusedAddress } from './refused-address.js'
import { refusedArguments } from './refused-arguments.js'
import { refusedFreeForm } from './refused-free-form.js'
import { refusedPerson } from './refused-person.js'
import { refusedVerifications } from './refused-verifications.js'
import { acceptedTexts, refusedTexts } from './text-fields.js'
import { warnedCases } from './warned-cases.js'

/** All tables, in the order of the contract. */
export const CASE_TABLES: readonly { readonly title: string; readonly groups: readonly CaseGroup[] }[] = [
  {
    title: 'Refused',
    groups: [
      ...refusedArguments,
      ...refusedTexts,
      ...refusedPerson,
      ...refusedAddress,
      ...refusedBoxes,
      ...refusedLockers,
      ...refusedVerifications,
      ...refusedFreeForm,
      ...refusedFormats,
    ],
  },
  { title: 'Accepted with a remark', groups: [...warnedCases, ...warnedFormats] },
  {
    title: 'Accepted',
    groups: [
      ...acceptedCases,
      ...acceptedTexts,
      ...acceptedNames,
      ...acceptedCountries,
      ...acceptedStreets,
      ...acceptedNeighbours,
      ...acceptedFormats,
    ],
  },
]
