import { parseEmail } from '../../core/addresses/email.ts'
import { isLoopback } from '../../core/addresses/loopback.ts'
import { Secret } from '../../core/crypto/secret.ts'

export interface MailServer {
  readonly host: string
  readonly port: number
  /** `starttls`: plain text until STARTTLS, which is mandatory; `tls`: implicit TLS. */
  readonly security: 'starttls' | 'tls' | 'none'
  readonly user: string | null
  readonly password: Secret | null
}

const schemes = {
  'smtp:': { security: 'starttls', port: 587 },
  'smtps:': { security: 'tls', port: 465 },
  'smtp+insecure:': { security: 'none', port: 25 },
} as const

const forms = '`smtp://user:password@host:587`, `smtps://…` or, on loopback, `smtp+insecure://…`'

/**
 * Parses SMTP_URL. Default ports: RFC 6409, RFC 8314, RFC 5321. @throws Error without the password
 * in its message
 */
export function parseMailServer(text: string): MailServer {
  const url = URL.parse(text)
  const scheme = schemes[(url?.protocol ?? '') as keyof typeof schemes]
  if (!url || !scheme || !/^[a-z+]+:\/\//i.test(text) || url.hostname === '') {
    throw new Error(`must be the address of a mail server: ${forms}`)
  }
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '') {
    throw new Error('must name a mail server alone, without a path, a query or a fragment')
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (scheme.security === 'none' && !isLoopback(url.hostname)) {
    throw new Error('must be smtp:// or smtps:// for a mail server that is not on this machine')
  }
  if ((url.username === '') !== (url.password === '')) {
    throw new Error('must hold both a username and a password, or neither')
  }
  if (url.port === '0') throw new Error('has the port 0')
  return {
    host,
    port: url.port === '' ? scheme.port : Number(url.port),
    security: scheme.security,
    user: url.username === '' ? null : decoded(url.username),
    password: url.password === '' ? null : new Secret(decoded(url.password)),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('has a username or a password with a % that begins no escape')
  }
}

export interface Sender {
  readonly name: string
  readonly address: string
}

/** @throws Error */
export function parseSender(text: string): Sender {
  const [, name = '', address = text] = /^([^<>]*)<([^<>]+)>$/.exec(text.trim()) ?? []
  const parsed = parseEmail(address.trim())
  if (!parsed || /[\p{Cc}"\\]/u.test(name)) {
    throw new Error('must be an address, or a name and an address: `Name <name@example.org>`')
  }
  return { name: name.trim(), address: parsed.address }
}

/** Returns the domain in lower case with A-labels. @throws Error */
export function parseMailDomain(item: string): string {
  const parsed = parseEmail(`a@${item}`)
  if (!parsed) throw new Error(`holds ${JSON.stringify(item)}, which is no domain`)
  return parsed.key.slice(2)
}
