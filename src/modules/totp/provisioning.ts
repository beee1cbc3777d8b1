import { base32 } from '../../core/crypto/base32.ts'

/** Spec 5.5. */
export interface Provisioning {
  /** Base32. */
  readonly secret: string
  readonly uri: string
  /** The URI as SVG: pages need no `data:` address. */
  readonly qr: string
}

const issuer = 'Gatehouse'

/** Exactly `otpauth://totp/<issuer>:<account>?secret=<SECRET>&issuer=<issuer>`. */
export async function provision(bytes: Uint8Array, account: string): Promise<Provisioning> {
  const secret = base32(bytes)
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  const uri = `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
  return { secret, uri, qr: await qrOf(uri) }
}

export async function qrOf(uri: string): Promise<string> {
  const { renderSVG } = await import('uqr')
  return renderSVG(uri)
}
