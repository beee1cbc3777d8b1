import { generateKeyPairSync, sign } from 'node:crypto'

/** A TLS key and a certificate for 127.0.0.1 that nobody vouches for. X.509, RFC 5280 section 4.1. */
export function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex'))) // ecdsa-with-SHA256
  const commonName = sequence(
    der(0x06, Buffer.from('550403', 'hex')),
    der(0x0c, Buffer.from('127.0.0.1')),
  )
  const name = sequence(der(0x31, commonName))
  const validity = sequence(
    der(0x17, Buffer.from('250101000000Z')),
    der(0x17, Buffer.from('491231235959Z')),
  )
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.from([1])), // serial number
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', toSign, privateKey)])
  const certificate = sequence(toSign, algorithm, der(0x03, signature))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
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
