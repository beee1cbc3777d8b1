import { all, input, one } from './elements.js'

export const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The CSRF token of the session of this browser; empty until it is known. */
let csrfToken = ''

/** Lets the user choose how requests authenticate. What is typed in stays in the inputs. */
export function prepareCredentials() {
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
    csrfToken = answer.ok ? String(body.csrf_token) : ''
    place.textContent = answer.ok
      ? `Session of ${body.username}, until ${body.expires_at}.`
      : 'This browser has no session. Log in with POST /login, with mode set to session.'
  } catch {
    csrfToken = ''
    place.textContent = 'The service cannot be reached.'
  }
  return csrfToken !== ''
}

/**
 * The scheme by which a request authenticates: the chosen one, if the operation takes it.
 *
 * @param {HTMLFormElement} form
 */
export function schemeFor(form) {
  const accepted = (form.dataset.accepts ?? '').split(' ')
  const kind = chosen()
  return accepted.includes(kind) ? kind : 'none'
}

/**
 * @param {string} scheme
 * @param {string} method
 * @returns {Promise<Record<string, string>>}
 */
export async function credentialHeaders(scheme, method) {
  if (scheme === 'bearer') return { authorization: `Bearer ${input('token').value.trim()}` }
  if (scheme === 'basic') {
    const text = `${input('username').value}:${input('password').value}`
    const bytes = new TextEncoder().encode(text)
    return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
  }
  if (scheme !== 'session' || safeMethods.has(method)) return {}
  if (csrfToken === '') await readSession()
  return csrfToken === '' ? {} : { 'x-csrf-token': csrfToken }
}

/**
 * Uses a session that has just begun.
 *
 * @param {string} token its CSRF token
 */
export function useSession(token) {
  csrfToken = token
  choose('session')
  one('#session').textContent = 'This page uses the session of its last login.'
}

/** @param {string} token */
export function useToken(token) {
  input('token').value = token
  choose('bearer')
}
