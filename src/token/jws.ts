import type { KeyObject } from 'node:crypto'
import { type CompactJWSHeaderParameters, compactVerify, errors } from 'jose'

/** A token with a valid signature; its claims are not checked yet. */
export interface VerifiedJws {
  readonly header: CompactJWSHeaderParameters
  readonly payload: Uint8Array
}

export interface VerifyingKey {
  readonly algorithm: string
  readonly verifyWith: KeyObject
}
type FindKey = (
  kid: string | undefined,
  header: Readonly<Record<string, unknown>>,
) => Promise<VerifyingKey | undefined> | VerifyingKey | undefined

const maxTokenLength = 8192
const grammar = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+$/

/**
 * Verifies a compact JWS with the key that `find` answers for its `kid`, and only with the
 * algorithm of that key: the `alg` of the header is not trusted. The text must be three canonical
 * base64url segments, without padding or spare bits, before jose parses it. RFC 7515 section 5.2,
 * RFC 8725. Null for any other text. @throws what `find` throws
 */
export async function verifyJws(token: string, find: FindKey): Promise<VerifiedJws | null> {
  if (token.length > maxTokenLength || !grammar.test(token)) return null
  const segments = token.split('.')
  if (!segments.every(isCanonical)) return null
  const header = parseObject(Buffer.from(segments[0] ?? '', 'base64url'))
  if (!header) return null
  // No extension is supported; b64 (RFC 7797) would change what the signature covers.
  if ('crit' in header || 'b64' in header) return null
  const { kid } = header
  if (kid !== undefined && typeof kid !== 'string') return null
  const key = await find(kid, header)
  if (!key) return null
  try {
    const { protectedHeader, payload } = await compactVerify(token, key.verifyWith, {
      algorithms: [key.algorithm],
    })
    return { header: protectedHeader, payload }
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return null
    throw error
  }
}

/** Parses UTF-8 bytes as a JSON object; null for anything else. */
export function parseObject(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes))
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    return value as Record<string, unknown> // every object can be read by name
  } catch {
    return null
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function isCanonical(segment: string): boolean {
  return Buffer.from(segment, 'base64url').toString('base64url') === segment
}
