import { base32 } from './totp.ts'

/** The values from which an authenticator app is set up. Spec 5.5. */
export interface Provisioning {
  /** Base32, for typing. */
  readonly secret: string
  readonly uri: string
  /** The URI as a QR code: SVG text, so that a page can show it without a `data:` address. */
  readonly qr: string
}

const issuer = 'Gatehouse'

/** Builds `otpauth://totp/<issuer>:<account>?secret=<SECRET>&issuer=<issuer>`, exactly. */
export async function provision(bytes: Uint8Array, account: string): Promise<Provisioning> {
  const secret = base32(bytes)
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  const uri = `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
  return { secret, uri, qr: await qrOf(uri) }
}

/** The URI as a QR code: SVG text. */
export async function qrOf(uri: string): Promise<string> {
  const { renderSVG } = await import('uqr') // needed by an enrolment alone
  return renderSVG(uri)
}
