import { createPrivateKey, sign } from 'node:crypto'
import type { ProviderConfig } from '../../../core/config/load.ts'
import { codePointLength } from '../../../core/lib/text.ts'
import { objectIn, textOf } from './answers.ts'
import type { Preset } from './preset.ts'

const issuer = 'https://appleid.apple.com'
const secretSeconds = 300 // Apple allows 6 months
const maxNameLength = 100

/**
 * Apple answers with a POST from its own site as soon as a name or an address is asked for, and
 * states the name only at the first sign-in, beside the ID token.
 */
export const apple: Preset = {
  label: 'Apple',
  kind: 'oidc',
  fixed: {
    KIND: 'oidc',
    ISSUER: issuer,
    SCOPE: 'openid name email',
  },
  needs: ['CLIENT_ID', 'TEAM_ID', 'KEY_ID', 'PRIVATE_KEY'],
  mistakes: (values) =>
    (['CLIENT_SECRET', 'CLIENT_AUTH'] as const)
      .filter((row) => values[row] !== undefined)
      .map((row) => [row, 'must not be set: TEAM_ID, KEY_ID and PRIVATE_KEY make the secret']),
  // Apple writes the boolean as text at times.
  isEmailVerified: ({ email_verified }) => email_verified === true || email_verified === 'true',
  // Apple always states `auth_time`.
  fresh: {},
  pkce: 'none',
  parameters: { response_mode: 'form_post' },
}

/** A JWT that stands for the client secret, for one request. */
export function appleSecret(
  { clientId, now }: { readonly clientId: string; readonly now: number },
  { teamId, keyId, privateKey }: NonNullable<ProviderConfig['apple']>,
): string {
  const iat = Math.floor(now / 1000)
  const claims = { iss: teamId, iat, exp: iat + secretSeconds, aud: issuer, sub: clientId }
  const input = [{ alg: 'ES256', kid: keyId }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const key = createPrivateKey(privateKey.reveal())
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

/** The name in the field `user`, which the browser has sent: unverified. */
export function nameOfUser(user: unknown): string | undefined {
  const { name } = objectIn(user)
  if (typeof name !== 'object' || name === null) return undefined
  const { firstName, lastName } = name as Readonly<Record<string, unknown>>
  const text = [firstName, lastName]
    .flatMap((part) => textOf(part) ?? [])
    .join(' ')
    .trim()
  if (text === '') return undefined
  return codePointLength(text) > maxNameLength ? [...text].slice(0, maxNameLength).join('') : text
}
