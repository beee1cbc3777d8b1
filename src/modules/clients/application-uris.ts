import { isLoopback } from '../../core/addresses/loopback.ts'
import type { Words } from '../../core/lib/languages.ts'
import type { Application } from './application.ts'

const maxLength = 2000
const plain = {
  en: 'must be an absolute address without "*", user name, password and fragment',
  de: 'muss eine absolute Adresse ohne „*“, Benutzername, Passwort und Fragment sein',
}
const secure = {
  en: 'must begin with https://, or with http:// on a loopback address',
  de: 'muss mit https:// beginnen, oder mit http:// bei einer Loopback-Adresse',
}
/** RFC 8252 section 7.1: a name in reverse, so that no other application takes it. */
const ownScheme = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/

/** An address that a person or this service opens. */
export function uriFault(value: unknown): Words | null {
  const url = parsed(value)
  if (!url) return plain
  return isSecure(url) ? null : secure
}

/** Where a browser may return to (RFC 9700 section 2.1): https, or the machine of the person. */
export function redirectFault(value: unknown, type: Application['type']): Words | null {
  const url = parsed(value)
  if (!url) return plain
  if (type === 'native' && ownScheme.test(url.protocol)) return null
  if (isSecure(url)) return null
  return type === 'native'
    ? {
        en: `${secure.en}, or be a scheme with a dot`,
        de: `${secure.de}, oder ein Schema mit einem Punkt sein`,
      }
    : secure
}

/** An origin of CORS as a browser sends it. */
export function originFault(value: unknown): Words | null {
  const url = parsed(value)
  const isOrigin = url !== null && isSecure(url) && url.origin === value
  return isOrigin
    ? null
    : {
        en: 'must be an origin like https://app.example.org',
        de: 'muss ein Ursprung wie https://app.example.org sein',
      }
}

/** The back channel may reach a host of the operator's network without TLS. */
export function backchannelFault(value: unknown): Words | null {
  const url = parsed(value)
  if (!url) return plain
  return /^https?:$/.test(url.protocol)
    ? null
    : { en: 'must begin with https:// or http://', de: 'muss mit https:// oder http:// beginnen' }
}

/** Null unless the text is as a browser writes the address: an exact comparison is then safe. */
function parsed(value: unknown): URL | null {
  if (typeof value !== 'string' || value.length > maxLength || /[*#\s\\]/.test(value)) return null
  const url = URL.parse(value)
  if (url === null) return null
  const isPlain = url.username === '' && url.password === ''
  const isAsWritten = url.href === value || url.href === `${value}/`
  return isPlain && isAsWritten && !/%(2e|2f|5c|00)/i.test(url.pathname) ? url : null
}

function isSecure({ hostname, protocol }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}
