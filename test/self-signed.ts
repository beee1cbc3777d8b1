import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

export interface Certificate {
  readonly key: string
  readonly cert: string
}

export interface CertificateWish {
  readonly commonName: string
  /** The host names and IPv4 addresses of the certificate. RFC 5280 section 4.2.1.6. */
  readonly hosts?: readonly string[]
  readonly isAuthority?: boolean
  /** An RSA key of so many bits, in place of a P-256 one. Self-signed only. */
  readonly rsaBits?: number
  /** YYMMDD, at midnight UTC. */
  readonly notAfter?: string
  /** The issuer; without one the certificate is self-signed. */
  readonly issuer?: { readonly commonName: string; readonly key: string }
}

/** A TLS key and a self-signed certificate for 127.0.0.1. */
export function selfSigned(): Certificate {
  return certificate({ commonName: '127.0.0.1' })
}

/** Makes a new key and its certificate. X.509, RFC 5280 section 4.1. */
export function certificate({
  commonName,
  hosts = [],
  isAuthority = false,
  notAfter = '491231',
  rsaBits,
  issuer,
}: CertificateWish): Certificate {
  const { privateKey, publicKey } =
    rsaBits === undefined
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: rsaBits })
  const algorithm =
    rsaBits === undefined
      ? sequence(objectId('2a8648ce3d040302')) // ecdsa-with-SHA256
      : sequence(objectId('2a864886f70d01010b'), der(0x05, Buffer.alloc(0))) // sha256WithRSAEncryption
  const validity = sequence(
    der(0x17, Buffer.from('250101000000Z')),
    der(0x17, Buffer.from(`${notAfter}000000Z`)),
  )
  const extensions = [
    ...(isAuthority ? [extension('551d13', sequence(der(0x01, Buffer.from([0xff]))))] : []),
    ...(hosts.length > 0 ? [extension('551d11', sequence(...hosts.map(alternativeName)))] : []),
  ]
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])), // serial number
    algorithm,
    nameOf(issuer?.commonName ?? commonName),
    validity,
    nameOf(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [der(0xa3, sequence(...extensions))] : []),
  )
  const signature = Buffer.concat([
    Buffer.from([0]),
    sign('sha256', toSign, issuer?.key ?? privateKey),
  ])
  const signed = sequence(toSign, algorithm, der(0x03, signature))
  const lines = signed.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from(commonName)))))
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), der(0x04, value))
}

function alternativeName(host: string): Buffer {
  if (isIPv4(host)) return der(0x87, Buffer.from(host.split('.').map(Number)))
  return der(0x82, Buffer.from(host))
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
