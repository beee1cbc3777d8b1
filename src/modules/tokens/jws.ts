import { createHmac, type KeyObject, sign, timingSafeEqual, verify } from 'node:crypto'
import { promisify } from 'node:util'
import type { RefusalReason } from '../../core/errors.ts'
import type { SigningKey } from '../keys/signing-key.ts'

/** A token with a valid signature and unchecked claims. */
export interface VerifiedJws {
  readonly header: Readonly<Record<string, unknown>>
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
 * Verifies a compact JWS with the key that `find` returns for its `kid`, and only with the
 * algorithm of that key: the `alg` of the header is not trusted. Before jose parses the text, the
 * three segments must be canonical base64url, without padding or spare bits. RFC 7515 section 5.2,
 * RFC 8725. Null for any other text; `tell` receives the reason. Synchronous for a known key of
 * this service's algorithms.
 * @throws what `find` throws
 */
export function verifyJws(
  token: string,
  find: FindKey,
  tell?: TellReason,
): VerifiedJws | null | Promise<VerifiedJws | null> {
  if (token.length > maxTokenLength || !grammar.test(token)) return refused(tell, malformed)
  const [headerEnd, end] = [token.indexOf('.'), token.lastIndexOf('.')]
  const [first, payload] = [token.slice(0, headerEnd), token.slice(headerEnd + 1, end)]
  const isWhole = isCanonical(first) && isCanonical(payload) && isCanonical(token.slice(end + 1))
  const header = isWhole && headerOf(first)
  if (!header) return refused(tell, malformed)
  // No extension is supported; b64 (RFC 7797) would change what the signature covers.
  if ('crit' in header || 'b64' in header) return refused(tell, { code: 'token_extension' })
  const { kid } = header
  if (kid !== undefined && typeof kid !== 'string') return refused(tell, malformed)
  const facts = () => ({ kid: kid?.slice(0, maxFactLength) ?? null })
  const verifiedBy = (key: VerifyingKey | undefined) => {
    if (!key) return refused(tell, { code: 'token_unknown_key', facts: facts() })
    if (header.alg !== key.algorithm) return refused(tell, otherAlgorithm(header.alg, key))
    const isSigned = isSignedBy(key, token)
    const jws = (isValid: boolean) =>
      isValid
        ? { header, payload: Buffer.from(payload, 'base64url') }
        : refused(tell, { code: 'token_bad_signature', facts: facts() })
    return isSigned instanceof Promise ? isSigned.then(jws) : jws(isSigned)
  }
  const key = find(kid, header)
  return key instanceof Promise ? key.then(verifiedBy) : verifiedBy(key)
}

let last: { segment: string; header: VerifiedJws['header'] | null } = { segment: '', header: null }

/** Parsed once: all access tokens of one key have the same header. */
function headerOf(segment: string): VerifiedJws['header'] | null {
  if (segment !== last.segment) {
    last = { segment, header: parseObject(Buffer.from(segment, 'base64url')) }
  }
  return last.header
}

/** Receives the reason of a refusal, for the operator. */
export type TellReason = (reason: RefusalReason) => void

const malformed = { code: 'token_malformed' } as const
// A header without a valid signature can hold anything.
const maxFactLength = 64

function refused(tell: TellReason | undefined, reason: RefusalReason): null {
  tell?.(reason)
  return null
}

function otherAlgorithm(alg: unknown, { algorithm: expected }: VerifyingKey): RefusalReason {
  const sent = typeof alg === 'string' ? alg.slice(0, maxFactLength) : null
  return { code: 'token_wrong_algorithm', facts: { alg: sent, expected } }
}

/**
 * Synchronous for the two algorithms of this service: WebCrypto on another thread costs 4 to 20
 * times as much.
 */
function isSignedBy(key: VerifyingKey, token: string): boolean | Promise<boolean> {
  const { algorithm, verifyWith } = key
  const end = token.lastIndexOf('.')
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  if (algorithm === 'HS256' && verifyWith.type === 'secret') {
    const expected = hmac(verifyWith, token.slice(0, end))
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  }
  if (algorithm === 'RS256' && verifyWith.asymmetricKeyType === 'rsa') {
    return verify(rsaSha256, Buffer.from(token.slice(0, end), 'ascii'), verifyWith, signature)
  }
  return isSignedByJose(key, token)
}

async function isSignedByJose(
  { algorithm, verifyWith }: VerifyingKey,
  token: string,
): Promise<boolean> {
  const { compactVerify, errors } = await import('jose') // only for providers: not at the start
  try {
    await compactVerify(token, verifyWith, { algorithms: [algorithm] })
    return true
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return false
    throw error
  }
}

/**
 * Signs a payload as a compact JWS: HS256 at once, RS256 (0.3 to 1 ms) on a thread of libuv's pool.
 * RFC 7515 section 5.1.
 */
export async function signJws(
  { algorithm, signWith }: Pick<SigningKey, 'algorithm' | 'signWith'>,
  header: object,
  payload: object,
): Promise<string> {
  const input = `${encoded({ ...header, alg: algorithm })}.${encoded(payload)}`
  const signature =
    algorithm === 'HS256'
      ? hmac(signWith, input)
      : await signOnThread(rsaSha256, Buffer.from(input, 'ascii'), signWith)
  return `${input}.${signature.toString('base64url')}`
}

const rsaSha256 = 'RSA-SHA256' // RSASSA-PKCS1-v1_5, RFC 7518 section 3.3
const signOnThread = promisify(sign)

function hmac(secret: KeyObject, input: string): Buffer {
  return createHmac('sha256', secret).update(input).digest() // RFC 7518 section 3.2
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Null for anything but a JSON object in UTF-8. */
export function parseObject(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes))
    if (typeof value !== 'object' || Array.isArray(value)) return null
    return value as Record<string, unknown> | null
  } catch {
    return null
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
// By segment length modulo 4: the bits of the last character that belong to no byte.
const spareBits = [0, null, 0b1111, 0b11]

/** Whether the segment is the canonical encoding of its bytes. RFC 4648 section 3.5. */
function isCanonical(segment: string): boolean {
  const spare = spareBits[segment.length % 4] ?? null
  return spare !== null && (alphabet.indexOf(segment.slice(-1)) & spare) === 0
}
