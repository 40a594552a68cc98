import type { FC } from 'hono/jsx'
import { Crumbs, HtmlDocument } from '../portal/pages/document.js'
import { RecordTable } from '../portal/pages/record-table.js'
import type { OpenApiDocument } from './openapi-document.js'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly parameters: readonly { name: string; in: string; description?: string; schema: Schema }[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

/** Renders the API reference from the OpenAPI document. */
export const DocumentationPage: FC<{ readonly document: OpenApiDocument }> = ({ document }) => {
  const info = document['info'] as { title: string; description: string }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: operation as object as Operation,
    })),
  )
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))]
  return (
    <HtmlDocument title="API reference">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="frame">
        <header class="side">
          <a class="wordmark" href="/portal">
            kyc-relay
          </a>
          <nav aria-label="Operations">
            <ul>
              {tags.map((tag) => (
                <li>
                  <span class="level">{tag}</span>
                  <ul>
                    {operations
                      .filter(({ operation }) => operation.tags.includes(tag))
                      .map(({ operation }) => (
                        <li>
                          <a href={`#${operation.operationId}`}>{operation.summary}</a>
                        </li>
                      ))}
                  </ul>
                </li>
              ))}
              <li>
                <a href="#schemas">Schemas</a>
              </li>
            </ul>
          </nav>
        </header>
        <main id="main" class="page" tabindex={-1}>
          <header>
            <Crumbs path={[{ label: 'For Developers', href: '/portal' }, { label: 'API reference' }]} />
            <h1>API reference</h1>
            <p class="lead">
              <Prose inline text={info.description} />
            </p>
            <p>
              Send <code>Authorization: Bearer</code> with the API key of the application. The same description for
              machines: <a href="/api/v1/openapi.json">OpenAPI 3.1</a>.
            </p>
          </header>
          <section aria-labelledby="everywhere">
            <h2 id="everywhere">What every operation may answer</h2>
            <AnswerTable
              label="Answers of every operation"
              responses={Object.entries(
                operations.find(({ operation }) => operation.requestBody)?.operation.responses ?? {},
              ).filter(([status]) => everywhere.has(status))}
            />
          </section>
          {operations.map(({ path, method, operation }) => (
            <OperationSection path={path} method={method} operation={operation} />
          ))}
          <section id="schemas">
            <h2>Schemas</h2>
            {Object.entries(document.components.schemas).map(([name, schema]) => (
              <section id={`schema-${name}`} class="operation">
                <h3>{name}</h3>
                <SchemaFields schema={schema} />
              </section>
            ))}
          </section>
        </main>
      </div>
    </HtmlDocument>
  )
}

const OperationSection: FC<{ path: string; method: string; operation: Operation }> = ({ path, method, operation }) => (
  <section class="operation" id={operation.operationId}>
    <h2>{operation.summary}</h2>
    <p>
      <span class="verb">{method.toUpperCase()}</span>
      <code>{path}</code>
    </p>
    {operation.description === undefined ? null : <Prose text={operation.description} />}
    {operation.parameters.length === 0 ? null : (
      <RecordTable
        label={`Parameters of ${operation.summary}`}
        columns={[{ label: 'Parameter', heads: true }, { label: 'Type' }, { label: 'Meaning' }]}
        rows={operation.parameters.map((parameter) => [
          <code>{parameter.name}</code>,
          <TypeName schema={parameter.schema} />,
          parameter.in === 'path' ? 'In the path.' : <Prose inline text={parameter.description ?? 'In the query.'} />,
        ])}
      />
    )}
    {operation.requestBody === undefined ? null : (
      <p>
        Body: <TypeName schema={operation.requestBody.content['application/json']?.schema ?? {}} />
        {operation.requestBody.required ? '' : ', optional'}
      </p>
    )}
    <AnswerTable
      label={`Answers of ${operation.summary}`}
      responses={Object.entries(operation.responses).filter(([status]) => !everywhere.has(status))}
    />
  </section>
)

/** Statuses with the same meaning for every operation, described once. */
const everywhere = new Set(['401', '413', '415', '429', '500', '503'])

const AnswerTable: FC<{
  readonly label: string
  readonly responses: readonly (readonly [string, Operation['responses'][string]])[]
}> = ({ label, responses }) => (
  <RecordTable
    label={label}
    columns={[{ label: 'Status', heads: true }, { label: 'When' }, { label: 'Body' }]}
    rows={responses.map(([status, response]) => [
      status,
      <Prose text={response.description} />,
      Object.values(response.content ?? {}).map(({ schema }) => <TypeName schema={schema} />),
    ])}
  />
)

const SchemaFields: FC<{ readonly schema: Schema }> = ({ schema }) => (
  <>
    {schema.description === undefined ? null : <Prose text={schema.description} />}
    {schema.properties === undefined ? (
      <p>
        <TypeName schema={schema} />
      </p>
    ) : (
      <dl class="facts wide">
        {Object.entries(schema.properties).map(([name, field]) => (
          <div>
            <dt>
              <code>{name}</code>
              {schema.required?.includes(name) ? '' : ', optional'}
            </dt>
            <dd>
              <TypeName schema={field} />
              {field.description === undefined ? null : (
                <span class="hint">
                  {' '}
                  <Prose inline text={field.description} />
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    )}
  </>
)

const TypeName: FC<{ readonly schema: Schema }> = ({ schema }) => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return <a href={`#schema-${name}`}>{name}</a>
  }
  if (schema.items !== undefined) {
    return (
      <>
        list of <TypeName schema={schema.items} />
      </>
    )
  }
  if (schema.anyOf !== undefined) {
    return (
      <>
        {schema.anyOf.map((one, index) => (
          <>
            {index === 0 ? '' : ' or '}
            <TypeName schema={one} />
          </>
        ))}
      </>
    )
  }
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (values !== undefined) return <code>{values.map(String).join(' · ')}</code>
  return <>{[schema.type, schema.format].flat().filter(Boolean).join(', ')}</>
}

/** Renders paragraphs with `code` marks, the only mark-up in descriptions. */
const Prose: FC<{ readonly text: string; readonly inline?: boolean }> = ({ text, inline }) => {
  const marked = (paragraph: string) =>
    paragraph.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))
  if (inline === true) return <>{marked(text)}</>
  return (
    <>
      {text.split('\n\n').map((paragraph) => (
        <p>{marked(paragraph)}</p>
      ))}
    </>
  )
}
