import { mediaTypes } from '../../core/http/media-types.ts'
import { type Html, html } from '../../core/http/pages/html.ts'
import { type Credential, curlOf } from './browser/curl.js'
import {
  type ApiDocument,
  type Listed,
  type MediaType,
  type Parameter,
  type RequestBody,
  resolve,
  type Schema,
  type SecurityScheme,
  schemesOf,
} from './document.ts'
import { exampleOf, examplesOf } from './example.ts'
import { typeOf } from './fields.ts'

/** With references resolved. */
export interface Inputs {
  readonly parameters: readonly Parameter[]
  readonly body: RequestBody | undefined
}

// Set by the page's credentials.
const ownHeaders = new Set(['authorization', 'cookie', 'x-csrf-token'])
const safe = new Set(['get', 'head', 'options'])

/** browser/main.js uses only the data attributes and inputs. */
export function renderTry(document: ApiDocument, listed: Listed, inputs: Inputs): Html {
  const { id, path, method, operation } = listed
  const kinds = schemesOf(document, operation).map(({ scheme }) => kindOf(scheme))
  const { parameters, body } = inputs
  return html`<form class="try" hidden data-method="${method.toUpperCase()}" data-path="${path}" data-accepts="${kinds.join(' ')}" aria-label="Send ${method.toUpperCase()} ${path}">
<h4>Try it</h4>
${parameters
  .filter(({ name }) => !ownHeaders.has(name.toLowerCase()))
  .map((parameter) => renderInput(document, id, parameter))}
${body && renderBody(document, id, body)}
<p class="actions"><button>Send</button> <button type="button" class="quiet" data-copy>Copy as curl</button></p>
<div class="answer" role="status"></div>
</form>`
}

function renderInput(document: ApiDocument, id: string, parameter: Parameter): Html {
  const { name, in: place, required, schema = {} } = parameter
  const input = `${id}.${place}.${name}`
  // Path parameters are required; optional parameters start empty.
  const value = place === 'path' ? pathExample(document, parameter) : ''
  return html`<label for="${input}">${name} <span class="muted">${place}, ${typeOf(document, schema)}</span></label>
<input id="${input}" name="${name}" data-in="${place}" value="${value}" autocomplete="off" spellcheck="false"${(required || place === 'path') && html` required`}>`
}

function renderBody(document: ApiDocument, id: string, { content }: RequestBody): Html {
  const types = Object.entries(content)
  const [[only = '', media = {}] = []] = types
  const text = types.find(([type]) => type !== mediaTypes.form)
  const form = types.find(([type]) => type === mediaTypes.form)
  return html`${
    types.length > 1
      ? html`<label for="${id}.type">Body as</label><select id="${id}.type" data-type>${types.map(
          ([type]) => html`<option>${type}</option>`,
        )}</select>`
      : html`<input type="hidden" data-type value="${only}">`
  }${text && renderText(document, id, text[1])}${form && renderForm(document, id, form[1], media === form[1])}`
}

function renderText(document: ApiDocument, id: string, media: MediaType): Html {
  const examples = examplesOf(document, media)
  return html`<div data-body="text">${
    examples.length > 1 &&
    html`<label for="${id}.example">Example</label><select id="${id}.example" data-example>${examples.map(
      ({ name, value }) => html`<option value="${textOf(value)}">${name}</option>`,
    )}</select>`
  }<label for="${id}.body">Body</label>
<textarea id="${id}.body" data-text rows="6" spellcheck="false" autocomplete="off">${textOf(examples[0]?.value)}</textarea></div>`
}

function renderForm(document: ApiDocument, id: string, media: MediaType, isShown: boolean): Html {
  const values = fieldValues(document, media)
  return html`<div data-body="form"${!isShown && html` hidden`}>${fieldsOf(
    document,
    media.schema ?? {},
  ).map(
    (name) =>
      html`<label for="${id}.form.${name}">${name}</label>
<input id="${id}.form.${name}" data-field="${name}" value="${textOf(values.get(name) ?? '')}" autocomplete="off" spellcheck="false"${/password|token|secret/.test(name) && html` class="secret"`}>`,
  )}</div>`
}

/** Unique, over all variants. */
function fieldsOf(document: ApiDocument, given: Schema): string[] {
  const { properties = {}, oneOf = [], anyOf = [], allOf = [] } = resolve(document, given) as Schema
  const parts = [...oneOf, ...anyOf, ...allOf].flatMap((part) => fieldsOf(document, part))
  return [...new Set([...Object.keys(properties), ...parts])]
}

/** Default: the name, or a number for ids. */
function pathExample(document: ApiDocument, parameter: Parameter): string {
  const { name, example, examples, schema = {} } = parameter
  const { type, example: one, examples: more, enum: values } = resolve(document, schema) as Schema
  const hasOwn = [example, examples, one, more, values].some((given) => given !== undefined)
  if (hasOwn || type !== 'string') return textOf(exampleOf(document, parameter))
  return /id$/i.test(name) ? '1' : name
}

/** Of the document's example, or the schema's required fields. */
function fieldValues(document: ApiDocument, media: MediaType): Map<string, unknown> {
  const example = exampleOf(document, media)
  const isOwn = media.example !== undefined || media.examples !== undefined
  const { required = [] } = resolve(document, media.schema ?? {}) as Schema
  const fields = typeof example === 'object' && example !== null ? Object.entries(example) : []
  return new Map(fields.filter(([name]) => isOwn || required.includes(name)))
}

/** With the first scheme suitable for programs. */
export function curlFor(
  document: ApiDocument,
  listed: Listed,
  { parameters, body }: Inputs,
): string {
  const { path, method, operation } = listed
  const schemes = schemesOf(document, operation).map(({ scheme }) => scheme)
  const kinds = schemes.map(kindOf)
  const preferred = ['bearer', 'basic', 'session', 'header'].find((kind) => kinds.includes(kind))
  const scheme = schemes.find((one) => kindOf(one) === preferred)
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    return encodeURIComponent(parameter ? pathExample(document, parameter) : name)
  })
  const [[contentType, media] = [null, {}]] = Object.entries(body?.content ?? {})
  const example = textOf(exampleOf(document, media))
  return curlOf({
    method: method.toUpperCase(),
    url: `${(document.servers?.[0]?.url ?? '').replace(/\/$/, '')}${filled}`,
    headers: [],
    credential: credentialOf(scheme, !safe.has(method)),
    contentType,
    body:
      contentType === mediaTypes.form
        ? [...fieldValues(document, media)].map(([name, value]) => [name, textOf(value)] as const)
        : example,
  })
}

function credentialOf(scheme: SecurityScheme | undefined, changes: boolean): Credential {
  switch (scheme && kindOf(scheme)) {
    case 'session':
      return { kind: 'session', cookie: scheme?.name ?? '', changes }
    case 'header':
      return { kind: 'header', name: scheme?.name ?? '' }
    case 'bearer':
      return { kind: 'bearer' }
    case 'basic':
      return { kind: 'basic' }
    default:
      return { kind: 'none' }
  }
}

function kindOf({ type, scheme = '', in: place }: SecurityScheme): string {
  if (type === 'http') return scheme.toLowerCase()
  if (type === 'apiKey') return place === 'cookie' ? 'session' : 'header'
  return 'other'
}

/** Empty without a cookie scheme. */
export function sessionOf({ components }: ApiDocument): string {
  const schemes = Object.values(components?.securitySchemes ?? {}) as SecurityScheme[] // by OpenAPI
  return schemes.find((scheme) => kindOf(scheme) === 'session')?.name ?? ''
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}
