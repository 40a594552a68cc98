// The GraphQL API as one page, from its SDL and the texts of the codes that a submission gets.
import { buildSchema, isEnumType, isObjectType, isScalarType, isSpecifiedScalarType } from 'graphql'

export function graphqlPage(typeDefs, { violations, warnings }) {
  const schema = buildSchema(typeDefs)
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
  )
  const roots = new Set([schema.getQueryType(), schema.getMutationType()])
  return [
    '# GraphQL API',
    '`POST /api/v1/graphql`. Submissions go to the secure endpoint, everything else to the standard API. Both need the access token of a user with the scope VERIFY_KYC. Introspection, on the standard API, needs no scope. What a document may ask for is limited ([why](../decisions/ingestion.md#what-may-a-query-ask-for)). Every argument of a submission is a variable.',
    ...[...types.filter((type) => roots.has(type)), ...types.filter((type) => !roots.has(type))].flatMap(section),
    '## Violations',
    'A submission with one of these is refused, and nothing is written.',
    codes(violations),
    '## Warnings',
    'A submission with one of these is accepted.',
    codes(warnings),
    '## SDL',
    `\`\`\`graphql\n${typeDefs.trim()}\n\`\`\``,
  ].join('\n\n')
}

function codes(texts) {
  // Two underscores would be bold.
  const rows = Object.entries(texts).map(([code, text]) => `| \`${code}\` | ${text.replaceAll('__', '\\_\\_')} |`)
  return ['| Code | Text |', '| --- | --- |', ...rows].join('\n')
}

function section(type) {
  const parts = [`## ${type.name}`, type.description ?? '']
  if (isScalarType(type)) return parts
  if (isEnumType(type))
    return [
      ...parts,
      type
        .getValues()
        .map(({ name }) => `- \`${name}\``)
        .join('\n'),
    ]
  if (!isObjectType(type)) throw new Error(`${type.name} is of a kind that this page does not show yet`)
  const fields = Object.values(type.getFields())
  if (fields.every(({ args }) => args.length === 0)) {
    const rows = fields.map((field) => `| \`${field.name}\` | \`${field.type}\` | ${field.description ?? ''} |`)
    return [...parts, ['| Field | Type | Meaning |', '| --- | --- | --- |', ...rows].join('\n')]
  }
  return [...parts, ...fields.flatMap(fieldWithArguments)]
}

function fieldWithArguments(field) {
  const heading = [`### ${field.name}`, `Answers \`${field.type}\`. ${field.description ?? ''}`]
  if (field.args.length === 0) return heading
  const rows = field.args.map((argument) => `| \`${argument.name}\` | \`${argument.type}\` |`)
  return [...heading, ['| Argument | Type |', '| --- | --- |', ...rows].join('\n')]
}
