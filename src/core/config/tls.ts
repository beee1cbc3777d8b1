import { constants, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { Secret } from '../crypto/secret.ts'
import type { Words } from '../lib/languages.ts'
import { reasonOf } from '../reason.ts'
import { isExposed } from './kinds.ts'

/** PEM. */
export interface TlsFiles {
  readonly certFile: string
  readonly keyFile: string
}

/** The key fits the first certificate. */
export interface TlsPair {
  readonly cert: string
  readonly key: Secret
  /** The certificate of the service. */
  readonly certificate: X509Certificate
}

export interface TlsReading {
  /** Null after a mistake. */
  readonly pair: TlsPair | null
  /** Each begins with the setting name. */
  readonly mistakes: readonly string[]
  readonly warnings: readonly string[]
}

/** TLS 1.2 and 1.3, only forward secrecy and AEAD (RFC 9325, 4.2), no renegotiation, HTTP/1.1. */
export const tlsProtocol = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.3',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  ALPNProtocols: ['http/1.1'],
} as const

/** Reports all mistakes. Follows symbolic links at every call. */
export function readTlsPair(
  { certFile, keyFile }: TlsFiles,
  { baseUrl }: { readonly baseUrl: string },
): TlsReading {
  const mistakes: string[] = []
  const noting = <T>(work: () => T): T | undefined => {
    try {
      return work()
    } catch (error) {
      mistakes.push(reasonOf(error))
      return undefined
    }
  }
  const cert = noting(() => textOf('TLS_CERT_FILE', certFile))
  const key = noting(() => textOf('TLS_KEY_FILE', keyFile))
  const certificate = cert && noting(() => firstCertificate(cert))
  const privateKey = key && noting(() => privateKeyOf(key))
  const pair = cert && key && certificate && { cert, key: new Secret(key), certificate }
  if (pair && privateKey) noting(() => assertUsable(pair, privateKey))
  if (!pair || mistakes.length > 0) return { pair: null, mistakes, warnings: [] }
  const isReadable = noting(() => isExposed(statSync(keyFile)))
  const warnings = [
    ...(isReadable ? [`TLS_KEY_FILE: ${keyFile} can be read by other users of this machine`] : []),
    ...unnamed(pair, baseUrl),
  ]
  return { pair, mistakes, warnings }
}

function textOf(name: string, file: string): string {
  let text: string
  try {
    assertOrdinary(file)
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`${name} cannot be read`, { cause: error })
  }
  if (text.trim() === '') throw new Error(`${name} is empty: ${file}`)
  return text
}

/** Reading a pipe or device could block forever and prevent shutdown. @throws Error */
export function assertOrdinary(path: string): void {
  const stats = statSync(path)
  if (stats.isDirectory()) return // reading gives a better error
  if (!stats.isFile()) throw new Error(`${path} is no file`)
  if (stats.size > maxBytes) throw new Error(`${path} is longer than 1 MiB`)
}

const maxBytes = 1_048_576
const pemCertificates = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** All certificates must parse. */
function firstCertificate(text: string): X509Certificate {
  try {
    const [first] = [...text.matchAll(pemCertificates)].map(([pem]) => new X509Certificate(pem))
    if (first) return first
  } catch {
    // as if there were none
  }
  throw new Error('TLS_CERT_FILE must hold certificates in PEM, that of the service first')
}

function privateKeyOf(text: string): KeyObject {
  if (/^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(text)) {
    throw new Error('TLS_KEY_FILE must hold a key without a passphrase')
  }
  try {
    return createPrivateKey(text)
  } catch {
    throw new Error('TLS_KEY_FILE must hold a private key in PEM')
  }
}

/** OpenSSL last: also rejects keys below its security level. */
function assertUsable({ cert, key, certificate }: TlsPair, privateKey: KeyObject): void {
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error('TLS_KEY_FILE does not fit the first certificate of TLS_CERT_FILE')
  }
  // A static import would load TLS for every command.
  const { createSecureContext } = process.getBuiltinModule('node:tls')
  try {
    createSecureContext({ ...tlsProtocol, cert, key: key.reveal() })
  } catch (error) {
    throw new Error('TLS_CERT_FILE cannot be used', { cause: error })
  }
}

const dayMs = 86_400_000
const noticeDays = 14

/** Warns if invalid, or expiring within `noticeDays`. */
export function lifeWarning({ certificate }: TlsPair, now: number): Words | null {
  const { validFromDate, validToDate } = certificate
  const [from, to] = [validFromDate.toISOString(), validToDate.toISOString()]
  if (now < validFromDate.getTime()) {
    return {
      en: `TLS_CERT_FILE: the certificate is valid from ${from} on: clients refuse it until then`,
      de: `TLS_CERT_FILE: Das Zertifikat gilt ab ${from}: Bis dahin lehnen Clients es ab`,
    }
  }
  const left = validToDate.getTime() - now
  if (left < 0) {
    return {
      en: `TLS_CERT_FILE: the certificate has expired at ${to}: clients refuse it`,
      de: `TLS_CERT_FILE: Das Zertifikat ist um ${to} abgelaufen: Clients lehnen es ab`,
    }
  }
  if (left >= noticeDays * dayMs) return null
  const days = Math.ceil(left / dayMs)
  return {
    en: `TLS_CERT_FILE: the certificate expires at ${to}, within ${days === 1 ? '1 day' : `${days} days`}: renew it`,
    de: `TLS_CERT_FILE: Das Zertifikat läuft um ${to} ab, in ${days === 1 ? '1 Tag' : `${days} Tagen`}: Erneuern Sie es`,
  }
}

function unnamed({ certificate }: TlsPair, baseUrl: string): string[] {
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
  const named = isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)
  if (named !== undefined) return []
  return [`TLS_CERT_FILE: the certificate does not name ${host}, the host of BASE_URL`]
}
