import assert from 'node:assert/strict'
import { createHmac, type KeyObject, sign } from 'node:crypto'
import { loadKeySet } from '../src/modules/keys/key-set.ts'
import type { TestApp } from './app.ts'

export type Json = Readonly<Record<string, unknown>>
export type Signer = (input: string) => Buffer

/** Signs as the service does, or as an attacker that uses a public value as the HMAC key. */
export function hs256(secret: string | Buffer): Signer {
  return (input) => createHmac('sha256', secret).update(input).digest()
}

/** Signs with RS256 (RFC 7518 section 3.3). */
export function rs256(key: KeyObject): Signer {
  return (input) => sign('sha256', Buffer.from(input), key)
}

/** Signs as the service does refresh tokens, whose key no operator can set. */
export async function refreshSigner({ deps }: Pick<TestApp, 'deps'>): Promise<Signer> {
  const { signWith } = await (await loadKeySet(deps)).signer('refresh')
  return hs256(signWith.export())
}

/** Encodes a segment: a text unchanged, other values as JSON. */
export function segment(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return Buffer.from(text).toString('base64url')
}

/** Makes a compact JWS with the test's own signature. */
export function forge(header: unknown, payload: unknown, signer: Signer): string {
  const input = `${segment(header)}.${segment(payload)}`
  return `${input}.${signer(input).toString('base64url')}`
}

/** Epoch seconds of the service's clock. */
export function secondsOf({ clock }: Pick<TestApp, 'clock'>): number {
  return Math.floor(clock.now() / 1000)
}

/**
 * The claims of an access token of the service, with changes; an undefined value removes a claim.
 */
export function accessClaims(app: TestApp, changes: Json = {}): Json {
  const now = secondsOf(app)
  const { issuer, audience } = app.deps.config.token
  return {
    iss: issuer,
    sub: '1',
    aud: audience,
    exp: now + 600,
    nbf: now,
    iat: now,
    jti: 'forged',
    username: 'admin',
    roles: ['USER', 'EDITOR', 'ADMIN'],
    type: 'access',
    auth_time: now,
    ver: 1,
    ...changes,
  }
}

/** The JOSE header of a token, not verified. */
export function headerOf(token: string): Json {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
}

/** The payload of a token, not verified. */
export function payloadOf(token: string): Json {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

const refusals = [
  ['/api/me', 'Invalid token'],
  ['/users', 'Invalid or expired token'],
] as const

/** Asserts the exact 401 at a route for bearer tokens only and at one for all schemes. */
export async function assertRefused(app: TestApp, token: string, what: string): Promise<void> {
  for (const [path, error] of refusals) {
    const answer = await app.call('GET', path, { headers: { authorization: `Bearer ${token}` } })
    assert.deepEqual(
      [answer.status, answer.body, answer.headers['www-authenticate']],
      [401, { error }, 'Bearer realm="API", error="invalid_token"'],
      `${what}: GET ${path}`,
    )
  }
}

/** Asserts 200 at both, which proves that a similar token is refused for the tested reason. */
export async function assertAccepted(app: TestApp, token: string, what: string): Promise<void> {
  for (const [path] of refusals) {
    const answer = await app.call('GET', path, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(answer.status, 200, `${what}: GET ${path} ${answer.text}`)
  }
}
