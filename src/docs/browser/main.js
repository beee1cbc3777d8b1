import { curlOf } from './curl.js'

/**
 * The script of the reference: search, links to operations, and requests. The page holds all that is
 * shown; what a user types in stays in the inputs of the page and is never stored.
 */

const maxShownBytes = 1_000_000
const maxHighlights = 2000
const formType = 'application/x-www-form-urlencoded'
const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The operations, with the text that search looks through. */
const operations = all('details.operation').map((element) => {
  const details = /** @type {HTMLDetailsElement} */ (element)
  const summary = one('summary', details)
  const reference = one('.reference', details)
  const text = `${summary.textContent} ${reference.textContent} ${details.id}`
  return { details, summary, reference, text: text.toLowerCase() }
})

const state = { csrfToken: '' }

showTools()
prepareSearch()
prepareCredentials()
for (const form of all('form.try')) prepareForm(/** @type {HTMLFormElement} */ (form))
openLinked()
addEventListener('hashchange', openLinked)
document.body.dataset.ready = ''

/** @param {string} selector @param {ParentNode} [within] @returns {HTMLElement[]} */
function all(selector, within = document) {
  return [...within.querySelectorAll(selector)].map((found) => /** @type {HTMLElement} */ (found))
}

/** @param {string} selector @param {ParentNode} [within] @returns {HTMLElement} */
function one(selector, within = document) {
  const found = within.querySelector(selector)
  if (!found) throw new Error(`the page has no ${selector}`)
  return /** @type {HTMLElement} */ (found)
}

/** @param {string} id @returns {HTMLInputElement} */
function input(id) {
  return /** @type {HTMLInputElement} */ (one(`#${id}`))
}

/** Shows what needs this script. */
function showTools() {
  one('#tools').hidden = false
  for (const form of all('form.try')) form.hidden = false
  const login = document.querySelector('[data-login]')
  const link = /** @type {HTMLAnchorElement | null} */ (document.querySelector('a[href="#login"]'))
  if (login && link) link.href = `#${login.id}`
  const setAll = (/** @type {boolean} */ open) => () => {
    for (const { details } of operations) details.open = open
  }
  one('#open-all').addEventListener('click', setAll(true))
  one('#close-all').addEventListener('click', setAll(false))
}

/** Opens the operation that the address names, so that a link to it can be shared. */
function openLinked() {
  const found = document.getElementById(unescaped(location.hash.slice(1)))
  const details = found?.closest('details')
  if (!found || !details) return
  details.hidden = false
  details.open = true
  const section = details.closest('section')
  if (section) section.hidden = false
  details.scrollIntoView()
  one('summary', details).focus({ preventScroll: true })
}

/** @param {string} text @returns {string} the text itself if it is not escaped as it must be */
function unescaped(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

// Search

function prepareSearch() {
  const field = input('search')
  field.value = new URLSearchParams(location.search).get('q') ?? ''
  if (field.value !== '') search(field.value)
  field.addEventListener('input', () => search(field.value))
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    const first = operations.find(({ details }) => !details.hidden)
    if (!first) return
    event.preventDefault() // or it would close what is opened here, as a press on its summary
    first.details.open = true
    first.details.scrollIntoView()
    first.summary.focus({ preventScroll: true })
  })
  addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event
    const isTyping = target instanceof Element && target.matches('input, textarea, select')
    if (key !== '/' || isTyping || ctrlKey || metaKey || altKey) return
    event.preventDefault()
    field.focus()
  })
}

/**
 * Shows the operations that hold all words, anywhere: in path, parameters, fields, errors, examples.
 *
 * @param {string} query
 */
function search(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  let found = 0
  for (const { details, text } of operations) {
    details.hidden = !words.every((word) => text.includes(word))
    if (!details.hidden) found += 1
  }
  for (const section of all('.groups > section')) {
    section.hidden = !all('details.operation', section).some(({ hidden }) => !hidden)
  }
  one('#found').textContent =
    words.length === 0 ? '' : found === 1 ? '1 operation' : `${found} operations`
  highlight(words)
  const url = new URL(location.href)
  if (query === '') url.searchParams.delete('q')
  else url.searchParams.set('q', query)
  history.replaceState(null, '', url)
}

/**
 * Marks the words without a change of the page. CSS Custom Highlight API.
 *
 * @param {readonly string[]} words
 */
function highlight(words) {
  if (!('highlights' in CSS)) return
  CSS.highlights.delete('found')
  if (words.length === 0) return
  const marks = new Highlight()
  for (const { details, summary, reference } of operations) {
    if (details.hidden) continue
    for (const place of [summary, reference]) mark(place, words, marks)
    if (marks.size > maxHighlights) break
  }
  CSS.highlights.set('found', marks)
}

/**
 * @param {Node} place
 * @param {readonly string[]} words
 * @param {Highlight} marks
 */
function mark(place, words, marks) {
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = (node.textContent ?? '').toLowerCase()
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        const range = new Range()
        range.setStart(node, at)
        range.setEnd(node, at + word.length)
        marks.add(range)
      }
    }
  }
}

// Credentials

function prepareCredentials() {
  for (const radio of all('input[name=credential]')) {
    radio.addEventListener('change', () => {
      for (const part of all('[data-for]')) part.hidden = part.dataset.for !== chosen()
    })
  }
  one('#read-session').addEventListener('click', () => void readSession())
}

function chosen() {
  const radio = /** @type {HTMLInputElement} */ (one('input[name=credential]:checked'))
  return radio.value
}

/** @param {string} kind */
function choose(kind) {
  const radio = /** @type {HTMLInputElement} */ (one(`input[name=credential][value=${kind}]`))
  radio.checked = true
  radio.dispatchEvent(new Event('change'))
}

/** Asks for the session of this browser and its CSRF token; answers whether there is one. */
async function readSession() {
  const place = one('#session')
  try {
    const answer = await fetch('/api/session')
    const body = /** @type {Record<string, unknown>} */ (await answer.json())
    state.csrfToken = answer.ok ? String(body.csrf_token) : ''
    place.textContent = answer.ok
      ? `Session of ${body.username}, until ${body.expires_at}.`
      : 'This browser has no session. Log in with POST /login, with mode set to session.'
  } catch {
    state.csrfToken = ''
    place.textContent = 'The service cannot be reached.'
  }
  return state.csrfToken !== ''
}

/**
 * The scheme by which a request authenticates: the chosen one, if the operation takes it.
 *
 * @param {HTMLFormElement} form
 */
function schemeFor(form) {
  const accepted = (form.dataset.accepts ?? '').split(' ')
  const kind = chosen()
  return accepted.includes(kind) ? kind : 'none'
}

/**
 * @param {string} scheme
 * @param {string} method
 * @returns {Promise<Record<string, string>>}
 */
async function credentialHeaders(scheme, method) {
  if (scheme === 'bearer') return { authorization: `Bearer ${input('token').value.trim()}` }
  if (scheme === 'basic') {
    const text = `${input('username').value}:${input('password').value}`
    const bytes = new TextEncoder().encode(text)
    return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
  }
  if (scheme !== 'session' || safe.has(method)) return {}
  if (state.csrfToken === '') await readSession()
  return state.csrfToken === '' ? {} : { 'x-csrf-token': state.csrfToken }
}

// Requests

/** @param {HTMLFormElement} form */
function prepareForm(form) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(form)
  })
  const copy = one('[data-copy]', form)
  copy.addEventListener('click', () => void copyCurl(form, copy))
  const type = form.querySelector('select[data-type]')
  type?.addEventListener('change', () => {
    const isForm = typeOf(form) === formType
    for (const part of all('[data-body]', form)) {
      part.hidden = (part.dataset.body === 'form') !== isForm
    }
  })
  const example = form.querySelector('select[data-example]')
  example?.addEventListener('change', () => {
    const { value } = /** @type {HTMLSelectElement} */ (example)
    const text = /** @type {HTMLTextAreaElement} */ (one('[data-text]', form))
    text.value = value
  })
}

/** @param {HTMLFormElement} form @returns {string | null} null for an operation without a body */
function typeOf(form) {
  const field = form.querySelector('[data-type]')
  return field ? /** @type {HTMLInputElement} */ (field).value : null
}

/**
 * Reads a request from the inputs of a form. Parameters that are empty are left out, and so are
 * fields of a form.
 *
 * @param {HTMLFormElement} form
 */
function read(form) {
  const { method = 'GET', path = '/' } = form.dataset
  const query = new URLSearchParams()
  /** @type {[string, string][]} */
  const headers = []
  let filled = path
  for (const element of all('input[data-in]', form)) {
    const { name, value, dataset } = /** @type {HTMLInputElement} */ (element)
    if (dataset.in === 'path') filled = filled.replace(`{${name}}`, () => encodeURIComponent(value))
    else if (value === '') continue
    else if (dataset.in === 'query') query.append(name, value)
    else if (dataset.in === 'header') headers.push([name, value])
  }
  const contentType = typeOf(form)
  const url = `${filled}${query.size > 0 ? `?${query}` : ''}`
  return { method, url, headers, contentType, body: bodyOf(form, contentType) }
}

/**
 * @param {HTMLFormElement} form
 * @param {string | null} type
 * @returns {string | [string, string][]}
 */
function bodyOf(form, type) {
  if (type !== formType) {
    const text = /** @type {HTMLTextAreaElement | null} */ (form.querySelector('[data-text]'))
    return text?.value ?? ''
  }
  return all('[data-field]', form).flatMap((element) => {
    const { value, dataset } = /** @type {HTMLInputElement} */ (element)
    /** @type {[string, string][]} */
    const field = value === '' ? [] : [[dataset.field ?? '', value]]
    return field
  })
}

/** @param {HTMLFormElement} form @param {HTMLElement} button */
async function copyCurl(form, button) {
  const { cookie = '', base = '' } = one('.groups').dataset
  const request = read(form)
  const kind = schemeFor(form)
  const accepted = (form.dataset.accepts ?? '').split(' ')
  const changes = !safe.has(request.method)
  /** @type {import('./curl.js').Credential} */
  const credential =
    kind === 'session'
      ? { kind, cookie, changes }
      : kind === 'bearer' || kind === 'basic'
        ? { kind }
        : accepted.includes('bearer')
          ? { kind: 'bearer' }
          : accepted.includes('session')
            ? { kind: 'session', cookie, changes }
            : { kind: 'none' }
  const command = curlOf({ ...request, url: base + request.url, credential })
  one('.curl', form.parentElement ?? form).textContent = command
  try {
    await navigator.clipboard.writeText(command)
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Shown above' // a browser without permission, or not on HTTPS
  }
  setTimeout(() => {
    button.textContent = 'Copy as curl'
  }, 2000)
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const place = one('.answer', form)
  const button = /** @type {HTMLButtonElement} */ (one('button:not([type])', form))
  const { method, url, headers, contentType, body } = read(form)
  if (contentType === 'application/json' && typeof body === 'string' && body.trim() !== '') {
    try {
      JSON.parse(body)
    } catch (error) {
      return void place.replaceChildren(line(`The body is not JSON: ${messageOf(error)}`, 'error'))
    }
  }
  const scheme = schemeFor(form)
  const isOpen = (form.dataset.accepts ?? '') === ''
  button.disabled = true
  place.replaceChildren(line('Sending...'))
  try {
    const sent = new Headers(headers)
    for (const [name, value] of Object.entries(await credentialHeaders(scheme, method))) {
      sent.set(name, value)
    }
    const hasBody = contentType !== null && !safe.has(method) && body !== ''
    if (hasBody && contentType !== null) sent.set('content-type', contentType)
    const started = performance.now()
    const response = await fetch(url, {
      method,
      headers: sent,
      ...(hasBody && { body: typeof body === 'string' ? body : new URLSearchParams(body) }),
      // With a typed credential the session of this browser is left out. An operation that is open to
      // anyone may set or end a session.
      credentials: scheme === 'session' || isOpen ? 'same-origin' : 'omit',
      redirect: 'manual',
      cache: 'no-store',
    })
    await show(place, response, { url, started, method })
  } catch (error) {
    place.replaceChildren(line(`No answer: ${messageOf(error)}`, 'error'))
  } finally {
    button.disabled = false
  }
}

/**
 * Shows an answer: status, time, headers and body. A script cannot read Set-Cookie.
 *
 * @param {HTMLElement} place
 * @param {Response} response
 * @param {{ url: string, started: number, method: string }} request
 */
async function show(place, response, { url, started, method }) {
  if (response.type === 'opaqueredirect') {
    const link = document.createElement('a')
    link.href = url
    link.textContent = 'Open it in this window'
    const text = line('The answer is a redirect, which a page cannot read. ')
    if (method === 'GET') text.append(link)
    return void place.replaceChildren(text)
  }
  const { text, isCut } = await textOf(response)
  const ms = Math.round(performance.now() - started)
  const heading = line(
    `${response.status} ${response.statusText}, ${ms} ms`,
    response.ok ? 'good' : 'error',
  )
  const headers = document.createElement('details')
  const summary = document.createElement('summary')
  summary.textContent = 'Headers'
  headers.append(
    summary,
    block([...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'), 'Headers'),
  )
  const parsed = parse(text)
  const shown = parsed === undefined ? text : JSON.stringify(parsed, null, 2)
  place.replaceChildren(heading, headers)
  if (shown !== '') place.append(block(shown, 'Body of the answer'))
  if (isCut) place.append(line('The rest of the body is left out.'))
  if (response.ok) offer(place, parsed)
}

/**
 * Takes up what a login answers: the CSRF token of a session, or a token that can be used here.
 *
 * @param {HTMLElement} place
 * @param {unknown} body
 */
function offer(place, body) {
  if (typeof body !== 'object' || body === null) return
  const { csrf_token, token, access_token } = /** @type {Record<string, unknown>} */ (body)
  if (typeof csrf_token === 'string') {
    state.csrfToken = csrf_token
    choose('session')
    one('#session').textContent = 'This page uses the session of its last login.'
  }
  const bearer = token ?? access_token
  if (typeof bearer !== 'string') return
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.textContent = 'Use this token for the next requests'
  button.addEventListener('click', () => {
    input('token').value = bearer
    choose('bearer')
    button.textContent = 'The next requests use this token'
  })
  place.append(button)
}

/**
 * Reads a body up to a limit: lists of any length are answered as a stream.
 *
 * @param {Response} response
 */
async function textOf(response) {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done || !value) return { text: text + decoder.decode(), isCut: false }
    bytes += value.length
    text += decoder.decode(value, { stream: true })
    if (bytes > maxShownBytes) {
      await reader?.cancel()
      return { text, isCut: true }
    }
  }
}

/** @param {string} text @returns {unknown} undefined if it is not JSON */
function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @param {string} text @param {string} [className] */
function line(text, className = '') {
  const made = document.createElement('p')
  made.textContent = text
  made.className = className
  return made
}

/** @param {string} text @param {string} label */
function block(text, label) {
  const made = document.createElement('pre')
  made.textContent = text
  made.tabIndex = 0
  made.ariaLabel = label
  return made
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error)
}
