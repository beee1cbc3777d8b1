import { algorithms } from './webauthn/algorithms.ts'

/** For the browser: its dialog may stay open for as long as the challenge counts. */
export interface RequestOptions {
  readonly challenge: string
  readonly rpId: string
  readonly timeout: number
  readonly userVerification: 'required'
  /** Empty: any passkey of the person for the domain. */
  readonly allowCredentials: Descriptor[]
}

export interface Descriptor {
  readonly type: 'public-key'
  readonly id: string
  readonly transports: string[]
}

interface Named {
  readonly credentialId: string
  readonly transports: readonly string[]
}

const ceremonyMs = 300_000

export function descriptorOf({ credentialId: id, transports }: Named): Descriptor {
  return { type: 'public-key', id, transports: [...transports] }
}

/** `PublicKeyCredentialRequestOptionsJSON` */
export function requestOptions(
  { challenge, rpId }: Pick<RequestOptions, 'challenge' | 'rpId'>,
  passkeys: readonly Named[] = [],
): RequestOptions {
  const allowCredentials = passkeys.map(descriptorOf)
  const userVerification = 'required'
  return { challenge, rpId, timeout: ceremonyMs, userVerification, allowCredentials }
}

/**
 * `PublicKeyCredentialCreationOptionsJSON`: a passkey that the authenticator lists without an id, with
 * user verification.
 */
export function creationOptions(
  of: Pick<RequestOptions, 'challenge' | 'rpId'>,
  user: { readonly handle: string; readonly username: string; readonly name: string },
  existing: readonly Named[],
) {
  const { handle: id, username, name } = user
  return {
    challenge: of.challenge,
    rp: { id: of.rpId, name: 'Gatehouse' },
    user: { id, name: username, displayName: name },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: ceremonyMs,
    excludeCredentials: existing.map(descriptorOf),
    authenticatorSelection: {
      residentKey: 'required' as const,
      requireResidentKey: true,
      userVerification: 'required' as const,
    },
    attestation: 'none' as const,
    extensions: { credProps: true },
  }
}

/** `PublicKeyCredentialCreationOptionsJSON` */
export type CreationOptions = ReturnType<typeof creationOptions>
