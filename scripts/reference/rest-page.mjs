// An API as one page, from its OpenAPI document and from nothing else.

/** Statuses that mean the same for every operation are said once. */
const everywhere = new Set(['401', '413', '415', '429', '500', '503'])

export function restPage(document, title, lead) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const shared = operations.find(({ operation }) => operation.requestBody).operation.responses
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))]
  return [
    `# ${title}`,
    document.info.description,
    lead,
    tags
      .map(
        (tag) =>
          `- ${tag}: ${operations
            .filter(({ operation }) => operation.tags.includes(tag))
            .map(link)
            .join(', ')}`,
      )
      .join('\n'),
    '## What every operation may answer',
    answers(Object.entries(shared).filter(([status]) => everywhere.has(status))),
    ...operations.flatMap(section),
    '## Schemas',
    ...Object.entries(document.components.schemas).flatMap(([name, schema]) => [
      `### ${name}`,
      schema.description ?? '',
      fields(schema),
    ]),
  ].join('\n\n')
}

const link = ({ operation }) => `[${operation.summary}](#${anchor(operation.summary)})`
const anchor = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
const cell = (text) => text.replaceAll('|', '\\|').replace(/\s*\n+\s*/g, '<br>')

function section({ path, method, operation }) {
  const body = operation.requestBody
  return [
    `## ${operation.summary}`,
    `\`${method.toUpperCase()} ${path}\``,
    operation.description ?? '',
    table(
      ['Parameter', 'Type', 'Meaning'],
      operation.parameters.map(({ name, in: place, description, schema }) => [
        `\`${name}\``,
        typeName(schema),
        description ?? `In the ${place}.`,
      ]),
    ),
    body ? `Body${body.required ? '' : ', optional'}: ${typeName(body.content['application/json'].schema)}` : '',
    answers(Object.entries(operation.responses).filter(([status]) => !everywhere.has(status))),
  ]
}

function answers(responses) {
  const rows = responses.map(([status, { description, content = {} }]) => [
    status,
    description,
    Object.values(content)
      .map(({ schema }) => typeName(schema))
      .join(' '),
  ])
  return table(['Status', 'When', 'Body'], rows)
}

function fields(schema) {
  if (schema.properties === undefined) return `Type: ${typeName(schema)}`
  const rows = Object.entries(schema.properties).map(([name, property]) => [
    `\`${name}${schema.required?.includes(name) ? '' : '?'}\``,
    typeName(property),
    property.description ?? '',
  ])
  return table(['Field', 'Type', 'Meaning'], rows)
}

function table(heads, rows) {
  if (rows.length === 0) return ''
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}

function typeName(schema) {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)
    return `[${name}](#${anchor(name)})`
  }
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeName).join(' or ')
  if (schema.items !== undefined) return `list of ${typeName(schema.items)}`
  if (schema.properties !== undefined)
    return (
      'object: ' +
      Object.keys(schema.properties)
        .map((name) => `\`${name}\``)
        .join(', ')
    )
  return `${[schema.type].flat().join(' or ')}${schema.format === undefined ? '' : ` (${schema.format})`}`
}
