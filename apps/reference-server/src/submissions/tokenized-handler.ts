import { isToken, type Ingestion } from '@kyc-relay/kyc-core'
import { Kind, valueFromASTUntyped, visit, type DocumentNode } from 'graphql'
import { submissionScope } from '../identity/bearer.js'
import type { SubmissionHandler } from './graphql-endpoint.js'
import type { Refusal } from '../http/error-catalogue.js'
import type { Log } from '../operations/log.js'
import { answerIngested } from './clear-handler.js'

/**
 * Creates the handler of the standard API host, which never accepts clear personal data.
 *
 * It refuses every submission, unless it is configured behind a tokenizing proxy. It then accepts tokens.
 */
export function createTokenizedHandler(
  ingestion: Ingestion,
  options: { readonly externalTokenizer: boolean },
  log: Log,
): SubmissionHandler {
  const refusalOf = (input: Readonly<Record<string, unknown>>): Refusal | null => {
    if (holdsClearPii(input)) return { code: 'PII_NOT_TOKENIZED' }
    return options.externalTokenizer ? null : { code: 'SECURE_ENDPOINT_REQUIRED' }
  }
  return {
    async answer(field, input, caller) {
      const refusal =
        field === 'postKycVerification'
          ? refusalOf(input)
          : (refusalOf(input) ?? { code: 'SECURE_ENDPOINT_REQUIRED' as const })
      if (refusal !== null) return { refusal }
      if (!caller.scopes.includes(submissionScope)) return { refusal: { code: 'FORBIDDEN' } }
      return answerIngested(() => ingestion.ingestTokenizedSubmission(caller, input), caller, log)
    },
    answerIrregular(document, variables, broken) {
      return submissionsIn(document, variables).some(holdsClearPii) ? { code: 'PII_NOT_TOKENIZED' } : broken
    },
  }
}

/** Checks for a clear SSN or document number in the arguments of a submission. */
function holdsClearPii(input: Readonly<Record<string, unknown>>): boolean {
  const ssn = member(input.person, 'ssn')
  const documentNumber = member(member(input.verifications, 'document'), 'documentNumber')
  // Null and an empty text stand for an absent value.
  return [ssn, documentNumber].some((value) => value != null && value !== '' && !isToken(value))
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

/** Returns the arguments of every submission in a document, including inlined literals and defaults of variables. */
function submissionsIn(document: DocumentNode, sent: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = []
  const defaults = new Map<string, unknown>()
  visit(document, {
    [Kind.VARIABLE_DEFINITION]({ variable, defaultValue }) {
      if (defaultValue !== undefined) defaults.set(variable.name.value, valueFromASTUntyped(defaultValue))
    },
  })
  const variables = { ...Object.fromEntries(defaults), ...sent }
  visit(document, {
    [Kind.FIELD](field) {
      if (field.name.value !== 'postKycVerification' && field.name.value !== 'validateKycVerification') return
      found.push(
        Object.fromEntries(
          (field.arguments ?? []).map((argument) => [
            argument.name.value,
            valueFromASTUntyped(argument.value, variables),
          ]),
        ),
      )
    },
  })
  return found
}
