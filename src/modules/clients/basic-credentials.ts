export interface BasicCredentials {
  readonly name: string
  readonly secret: string
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Undefined for another scheme or no header; null if malformed. Secrets may contain colons. RFC
 * 7617 section 2.
 */
export function basicCredentials(header: string | undefined): BasicCredentials | null | undefined {
  const found = /^basic(?: +(.*))?$/i.exec(header ?? '')
  if (!found) return undefined
  const [, encoded = ''] = found
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) return null
  let text: string
  try {
    text = utf8.decode(Buffer.from(encoded, 'base64'))
  } catch {
    return null
  }
  const colon = text.indexOf(':')
  if (colon < 0) return null
  return { name: text.slice(0, colon), secret: text.slice(colon + 1) }
}

/** Clients form-urlencode before Basic (RFC 6749 section 2.3.1); other text stays unchanged. */
export function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
