import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { hostOf, mayReach } from '../outbound/target.ts'
import { CouldNotCheck } from './check.ts'
import type { Target } from './probe.ts'

export interface PeerCertificate {
  /** OpenSSL code such as `CERT_HAS_EXPIRED`; null if trusted. */
  readonly mistrust: string | null
  readonly certificate: X509Certificate
  readonly namesHost: boolean
}

const timeoutMs = 10_000

/**
 * @throws CouldNotCheck
 * @param ca PEM, in addition to Node's authorities
 */
export async function peerCertificate(target: Target, ca?: string): Promise<PeerCertificate> {
  const { addresses, rules, url } = target
  const { connect, getCACertificates } = await import('node:tls')
  const host = hostOf(url)
  const [address = host] = addresses.filter((one) => mayReach(one, rules))
  const { promise, resolve, reject } = Promise.withResolvers<PeerCertificate>()
  const socket = connect({
    host: address,
    port: Number(url.port) || 443,
    rejectUnauthorized: false,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca: [...getCACertificates(), ca] }),
  })
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no handshake within 10 s')))
  socket.once('error', (cause) =>
    reject(
      new CouldNotCheck(
        { en: 'there was no TLS handshake', de: 'es gab keinen TLS-Handshake' },
        { cause },
      ),
    ),
  )
  socket.once('close', () =>
    reject(
      new CouldNotCheck({ en: 'the TLS handshake broke off', de: 'der TLS-Handshake brach ab' }),
    ),
  )
  socket.once('secureConnect', () => {
    const certificate = socket.getPeerX509Certificate()
    if (!certificate)
      return reject(
        new CouldNotCheck({ en: 'there is no certificate', de: 'es gibt kein Zertifikat' }),
      )
    const code = socket.authorizationError as string | (Error & { code?: string }) | null
    const mistrust = typeof code === 'object' ? (code?.code ?? null) : code
    const named = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)
    resolve({
      mistrust: mistrust === 'ERR_TLS_CERT_ALTNAME_INVALID' ? null : mistrust,
      certificate,
      namesHost: named !== undefined,
    })
  })
  return promise.finally(() => socket.destroy())
}
