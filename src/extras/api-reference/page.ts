import { type Html, html } from '../../core/http/pages/html.ts'
import type { Page } from '../../core/http/pages/page.ts'
import {
  type Answer,
  type ApiDocument,
  type Group,
  groupsOf,
  type Header,
  type Listed,
  type MediaType,
  type Parameter,
  type RequestBody,
  resolve,
  schemesOf,
} from './document.ts'
import { examplesOf } from './example.ts'
import { renderFields, table, typeOf } from './fields.ts'
import { blocks, prose } from './text.ts'
import { curlFor, renderTry, sessionOf } from './try.ts'

export interface ReferenceFiles {
  /** The first is the entry. */
  readonly modules: readonly string[]
  readonly style: string
}

/**
 * All operations with access, parameters, examples and curl. Readable without the script, which
 * adds search and sending.
 */
export function referencePage(document: ApiDocument, { modules, style }: ReferenceFiles): Page {
  const groups = groupsOf(document)
  const { title, description = '' } = document.info
  const count = groups.reduce((sum, { operations }) => sum + operations.length, 0)
  return {
    title: `${title} API`,
    isWide: true,
    head: html`<link rel="stylesheet" href="${style}">
${modules.slice(1).map((url) => html`<link rel="modulepreload" href="${url}">`)}
<script type="module" src="${modules[0]}"></script>`,
    main: html`<h1>${title} API</h1>
${blocks(description)}
<p><a href="/api/openapi.json">OpenAPI document</a>, from which clients are generated. ${count} operations.</p>
<div id="tools" hidden>
<search>
<label for="search">Search paths, parameters, fields and errors</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" aria-describedby="search-hint">
<p class="hint" id="search-hint">All words must occur. Press <kbd>/</kbd> to search, <kbd>Enter</kbd> to open the first.</p>
<p id="found" role="status"></p>
</search>
${credentials}
<p class="actions"><button type="button" class="quiet" id="open-all">Open all</button> <button type="button" class="quiet" id="close-all">Close all</button></p>
</div>
<noscript><p class="muted">With scripts, this page can also search, and send requests.</p></noscript>
<div class="columns">
<nav aria-label="Groups"><ul>${groups.map(
      ({ name, operations }) =>
        html`<li><a href="#${slug(name)}">${name}</a> <span class="muted">${operations.length}</span></li>`,
    )}</ul></nav>
<div class="groups" data-cookie="${sessionOf(document)}" data-base="${baseOf(document)}">${groups.map((group) => renderGroup(document, group))}</div>
</div>`,
  }
}

/**
 * Credentials stay in memory. CSS hides the input, because browsers offer to store password inputs.
 */
const credentials = html`<details class="credentials"><summary><h2>Requests sent from this page</h2></summary>
<p>A request is really sent to this service and does what it says. Choose how it authenticates; what you
type is kept only until the page is left.</p>
<fieldset><legend>Authenticate by</legend>
<label><input type="radio" name="credential" value="session" checked> Session of this browser</label>
<label><input type="radio" name="credential" value="bearer"> Bearer token</label>
<label><input type="radio" name="credential" value="basic"> Username and password (Basic)</label>
<label><input type="radio" name="credential" value="none"> Nothing</label>
</fieldset>
<div data-for="session"><p id="session" role="status">Log in with <a href="#login">POST /login</a> in mode session, or use the session that this browser has.</p>
<p class="actions"><button type="button" class="quiet" id="read-session">Look for a session</button></p></div>
<div data-for="bearer" hidden><label for="token">Bearer token</label>
<input id="token" class="secret" autocomplete="off" spellcheck="false"></div>
<div data-for="basic" hidden><label for="username">Username</label>
<input id="username" autocomplete="off" autocapitalize="none" spellcheck="false">
<label for="password">Password</label><input id="password" class="secret" autocomplete="off" spellcheck="false"></div>
</details>`

function renderGroup(document: ApiDocument, { name, description, operations }: Group): Html {
  const id = slug(name)
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${name}</h2>
${description && html`<p>${prose(description)}</p>`}
${operations.map((listed) => renderOperation(document, listed))}</section>
`
}

function renderOperation(document: ApiDocument, listed: Listed): Html {
  const { id, path, method, operation } = listed
  const { summary = '', description = '', responses = {}, deprecated } = operation
  const parameters = (operation.parameters ?? []).map((one) => resolve<Parameter>(document, one))
  const body = operation.requestBody && resolve<RequestBody>(document, operation.requestBody)
  const schemes = schemesOf(document, operation)
  const curl = curlFor(document, listed, { parameters, body })
  return html`<details class="operation" id="${id}"${path === '/login' && html` data-login`}><summary><h3><span class="method ${method}">${method.toUpperCase()}</span> <code class="path">${breakable(path)}</code> <span class="what">${prose(summary)}</span></h3></summary>
<div class="reference">
<p>${prose(description)}${deprecated && ' Deprecated.'}</p>
<p>Authenticate by: ${schemes.length > 0 ? schemes.map(({ name }) => name).join(', ') : 'nothing is needed'}. <a href="#${id}">Link to this operation</a></p>
${parameters.length > 0 && html`<h4>Parameters</h4>${renderParameters(document, parameters)}`}
${body && html`<h4>Body</h4>${renderContent(document, body.content, body.description)}`}
<h4>Answers</h4>
${table(
  ['Status', 'Meaning', 'Headers'],
  Object.entries(responses).map(([status, one]) => {
    const answer = resolve<Answer>(document, one)
    return [html`<code>${status}</code>`, prose(answer.description), headersOf(document, answer)]
  }),
)}
${Object.entries(responses).map(([status, one]) => {
  const { content } = resolve<Answer>(document, one)
  if (status >= '400' || !content) return ''
  return html`<h5>Body of ${status}</h5>${renderContent(document, content)}`
})}
</div>
<h4>As curl</h4>
<pre class="curl" tabindex="0" aria-label="Command for curl">${curl}</pre>
${renderTry(document, listed, { parameters, body })}
</details>
`
}

function renderParameters(document: ApiDocument, parameters: readonly Parameter[]): Html {
  return table(
    ['Parameter', 'In', 'Type', 'Meaning'],
    parameters.map(({ name, in: place, required, schema = {}, description }) => [
      html`<code>${name}</code>${required && html` <span class="required">required</span>`}`,
      place,
      html`<code>${typeOf(document, schema)}</code>`,
      prose(description ?? schema.description),
    ]),
  )
}

/** Groups media types by schema. */
function renderContent(
  document: ApiDocument,
  content: Readonly<Record<string, MediaType>>,
  description?: string,
): Html {
  const bySchema = Map.groupBy(Object.entries(content), ([, { schema }]) => JSON.stringify(schema))
  return html`${description && html`<p>${prose(description)}</p>`}${[...bySchema.values()].map(
    (same) => {
      const [[, media] = ['', {}]] = same
      const types = same.map(([type]) => type)
      return html`<p>As ${types.map((type, index) => html`${index > 0 && ' or '}<code>${type}</code>`)}</p>
${media.schema && renderFields(document, media.schema)}
${types.some((type) => type.includes('json')) && renderExamples(document, media)}`
    },
  )}`
}

function renderExamples(document: ApiDocument, media: MediaType): Html {
  return html`${examplesOf(document, media).map(
    ({ name, value }) =>
      html`<p class="example">${name}</p><pre tabindex="0" aria-label="${name}">${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>`,
  )}`
}

function headersOf(document: ApiDocument, { headers = {} }: Answer): Html {
  return html`${Object.entries(headers).map(([name, one], index) => {
    const { description } = resolve<Header>(document, one)
    return html`${index > 0 && html`<br>`}<code>${name}</code>${description && html`: ${prose(description)}`}`
  })}`
}

/** Breakable before slashes. */
function breakable(path: string): Html {
  return html`${path.split(/(?=\/)/).map((part) => html`<wbr>${part}`)}`
}

function baseOf({ servers }: ApiDocument): string {
  return (servers?.[0]?.url ?? '').replace(/\/$/, '')
}

function slug(text: string): string {
  return `group-${text.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`
}
