import { show } from './answers.js'
import { credentialHeaders, safeMethods, schemeFor } from './credentials.js'
import { curlOf } from './curl.js'
import { all, line, messageOf, one } from './elements.js'

const formType = 'application/x-www-form-urlencoded'

/**
 * Makes the form of an operation send its request, and copy it as a command.
 *
 * @param {HTMLFormElement} form
 */
export function prepareForm(form) {
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
  const accepted = (form.dataset.accepts ?? '').split(' ')
  const chosenFirst = [schemeFor(form), 'bearer', 'basic', 'session']
  const kind = chosenFirst.find((scheme) => accepted.includes(scheme))
  const changes = !safeMethods.has(request.method)
  /** @type {import('./curl.js').Credential} */
  const credential =
    kind === 'session'
      ? { kind, cookie, changes }
      : { kind: kind === 'bearer' || kind === 'basic' ? kind : 'none' }
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
    const hasBody = contentType !== null && !safeMethods.has(method) && body !== ''
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
    await show(place, response, { url, started, method, scheme })
  } catch (error) {
    place.replaceChildren(line(`No answer: ${messageOf(error)}`, 'error'))
  } finally {
    button.disabled = false
  }
}
