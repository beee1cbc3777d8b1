import { useSession, useToken } from './credentials.js'
import { block, line } from './elements.js'

// Lists of any length are answered as a stream.
const maxShownBytes = 1_000_000

/**
 * Shows an answer: status, time, headers and body. A script cannot read Set-Cookie.
 *
 * @param {HTMLElement} place
 * @param {Response} response
 * @param {{ url: string, started: number, method: string, scheme: string }} request
 */
export async function show(place, response, { url, started, method, scheme }) {
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
  const sent = scheme === 'none' ? 'without a credential' : `by ${scheme}`
  const heading = line(
    `${response.status} ${response.statusText}, ${ms} ms, sent ${sent}`,
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
  if (typeof csrf_token === 'string') useSession(csrf_token)
  const bearer = token ?? access_token
  if (typeof bearer !== 'string') return
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.textContent = 'Use this token for the next requests'
  button.addEventListener('click', () => {
    useToken(bearer)
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
