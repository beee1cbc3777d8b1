import { escapeHtml } from '../kernel/text.ts'

/** The parts of an OpenAPI document that the page shows. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> }
  readonly responses?: Readonly<Record<string, Response>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
}

interface Response {
  readonly description: string
  readonly content?: Readonly<Record<string, { schema: Schema }>>
}

interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly $ref?: string
}

/** Renders the reference page: every operation with its access, parameters, body and answers. */
export function renderPage(given: ApiDocument): string {
  const document = resolved(given, given) as ApiDocument // of the same shape
  const byTag = Map.groupBy(
    operationsOf(document),
    ({ operation }) => operation.tags?.[0] ?? 'Other',
  )
  const tags = [...byTag.keys()]
  const links = tags.map((tag) => `<a href="#${slug(tag)}">${escapeHtml(tag)}</a>`).join(' ')
  const sections = tags.map(
    (tag) =>
      `<section id="${slug(tag)}"><h2>${escapeHtml(tag)}</h2>${(byTag.get(tag) ?? []).map(renderOperation).join('')}</section>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(document.info.title)} API</title>
<link rel="stylesheet" href="/api/docs/style.css">
<link rel="icon" type="image/svg+xml" href="/api/docs/icon.svg">
</head>
<body>
<header><h1>${escapeHtml(document.info.title)} API</h1><p>${escapeHtml(document.info.description)}</p>
<nav>${links} <a href="/api/openapi.json">OpenAPI 3.1</a></nav></header>
<main>${sections.join('\n')}</main>
</body>
</html>
`
}

/** Answers a part of a document with what each reference in it refers to. */
function resolved(part: unknown, document: object): unknown {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map((one) => resolved(one, document))
  if ('$ref' in part && typeof part.$ref === 'string') {
    const names = part.$ref.split('/').slice(1)
    const target = names.reduce<unknown>((at, name) => Object(at)[name], document)
    return resolved(target, document)
  }
  const entries = Object.entries(part).filter(([name]) => name !== 'examples')
  return Object.fromEntries(entries.map(([name, value]) => [name, resolved(value, document)]))
}

interface Listed {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

function operationsOf({ paths }: ApiDocument): Listed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
}

function renderOperation({ path, method, operation }: Listed): string {
  const { parameters = [], security = [], requestBody, responses = {} } = operation
  const schemes = security.flatMap((entry) => Object.keys(entry)).join(', ')
  const rows = Object.entries(responses).map(
    ([status, { description, content }]) =>
      `<tr><th scope="row">${escapeHtml(status)}</th><td>${escapeHtml(description)}${
        status < '400' ? shape(firstSchema(content)) : ''
      }</td></tr>`,
  )
  return `<details><summary><b class="${escapeHtml(method)}">${escapeHtml(method.toUpperCase())}</b> <code>${escapeHtml(path)}</code> ${escapeHtml(operation.summary ?? '')}</summary>
<p>${escapeHtml(operation.description ?? '')}${schemes && ` By ${escapeHtml(schemes)}.`}</p>
${parameters.length > 0 ? `<h3>Parameters</h3><ul>${parameters.map(renderParameter).join('')}</ul>` : ''}
${requestBody ? `<h3>Body</h3><p>${escapeHtml(Object.keys(requestBody.content).join(' or '))}</p>${shape(firstSchema(requestBody.content))}` : ''}
<h3>Answers</h3><table>${rows.join('')}</table></details>`
}

function renderParameter({ name, in: place, description = '' }: Parameter): string {
  return `<li><code>${escapeHtml(name)}</code> (${escapeHtml(place)}) ${escapeHtml(description)}</li>`
}

function firstSchema(content: Response['content']): Schema | undefined {
  return Object.values(content ?? {})[0]?.schema
}

function shape(schema: Schema | undefined): string {
  return schema ? `<pre>${escapeHtml(sketch(schema))}</pre>` : ''
}

/** Renders a schema in short form: `{ name: string, email?: string }`. */
function sketch(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const { oneOf = schema.anyOf } = schema
  if (oneOf) return oneOf.map(sketch).join(' | ')
  if (schema.type === 'array') return `[${schema.items ? sketch(schema.items) : ''}]`
  if (schema.properties) {
    const fields = Object.entries(schema.properties).map(
      ([name, field]) => `${name}${schema.required?.includes(name) ? '' : '?'}: ${sketch(field)}`,
    )
    return `{ ${fields.join(', ')} }`
  }
  return schema.type ?? 'any'
}

function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

/** A gate: without an icon of its own, a browser asks for /favicon.ico. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="none" stroke="#4a6fa5" stroke-width="2" d="M2 15V7a6 6 0 0 1 12 0v8M6 15V8m4 7V8M1 15h14"/></svg>
`

export const stylesheet = `:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
nav a { margin-right: 1rem; }
code, pre { font: 14px/1.5 ui-monospace, monospace; }
pre { background: var(--soft); padding: .5rem .75rem; white-space: pre-wrap; overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; padding: .4rem .75rem; }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4.5rem; }
h3 { font-size: 1rem; margin: .75rem 0 .25rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-top: 1px solid var(--line); text-align: left; vertical-align: top; padding: .3rem .5rem; }
`
