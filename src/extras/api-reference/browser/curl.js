/**
 * A request of the reference. Its credential is a scheme, never a value: what a user types in is not
 * part of a command that is copied.
 *
 * @typedef {{ readonly kind: 'none' | 'basic' | 'bearer' }
 *   | { readonly kind: 'session', readonly cookie: string, readonly changes: boolean }
 *   | { readonly kind: 'header', readonly name: string }} Credential
 *
 * @typedef {object} CurlRequest
 * @property {string} method
 * @property {string} url
 * @property {readonly (readonly [name: string, value: string])[]} headers
 * @property {Credential} credential
 * @property {string | null} contentType null without a body
 * @property {string | readonly (readonly [name: string, value: string])[]} body a text, or the
 *   fields of a form
 */

/**
 * Makes a command for curl, in the language of POSIX shells. Credentials are variables of the shell,
 * so that none gets into its history; all else is quoted as it is.
 *
 * @param {CurlRequest} request
 * @returns {string}
 */
export function curlOf({ method, url, headers, credential, contentType, body }) {
  const parts = []
  const hasBody = contentType !== null
  if (method !== 'GET' && !(method === 'POST' && hasBody)) parts.push(`-X ${method}`)
  parts.push(quoted(url))
  parts.push(...credentialOf(credential))
  for (const [name, value] of headers) parts.push(`-H ${quoted(`${name}: ${oneLine(value)}`)}`)
  if (hasBody && typeof body === 'string') {
    parts.push(`-H ${quoted(`Content-Type: ${contentType}`)}`, `--data-raw ${quoted(body)}`)
  } else if (hasBody && typeof body !== 'string') {
    for (const [name, value] of body) {
      parts.push(`--data-urlencode ${quoted(`${encodeURIComponent(name)}=${value}`)}`)
    }
    if (body.length === 0) parts.push("--data-raw ''")
  }
  return `curl ${parts.join(' \\\n  ')}`
}

/**
 * @param {Credential} credential
 * @returns {string[]}
 */
function credentialOf(credential) {
  switch (credential.kind) {
    case 'basic':
      return ['-u "$USERNAME:$PASSWORD"']
    case 'bearer':
      return ['-H "Authorization: Bearer $TOKEN"']
    case 'session':
      return [
        `-b "${credential.cookie}=$SESSION"`,
        ...(credential.changes ? ['-H "X-CSRF-Token: $CSRF_TOKEN"'] : []),
      ]
    case 'header':
      return [`-H "${credential.name}: $KEY"`]
    default:
      return []
  }
}

/**
 * Quotes a text for a POSIX shell. Between single quotes everything stands for itself but the single
 * quote. A NUL cannot be an argument.
 *
 * @param {string} text
 */
function quoted(text) {
  return `'${text.replaceAll('\0', '').replaceAll("'", `'\\''`)}'`
}

/**
 * A header has one line.
 *
 * @param {string} text
 */
function oneLine(text) {
  return text.replace(/[\r\n]+/g, ' ')
}
