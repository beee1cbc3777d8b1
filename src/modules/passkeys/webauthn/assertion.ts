import { createHash } from 'node:crypto'
import { equalInConstantTime } from '../../../core/crypto/digest.ts'
import { readAuthenticatorData } from './authenticator-data.ts'
import { authenticatorSteps } from './authenticator-steps.ts'
import { attempt, CeremonyError, takeSteps } from './ceremony-error.ts'
import { clientSteps, type Expected, readClientData } from './client-data.ts'
import { isSignatureOf, readPublicKey } from './public-key.ts'
import { readResponse } from './response.ts'

/** A stored passkey. */
export interface Known {
  /** base64url. */
  readonly id: string
  /** COSE_Key. */
  readonly publicKey: Uint8Array
  readonly counter: number
  /** As the authenticator last said. */
  readonly isBackupEligible: boolean
}

export interface ExpectedAssertion extends Expected {
  /** base64url. */
  readonly userHandle: string
  /** Nothing else names the account: the authenticator must. */
  readonly isUserHandleNeeded: boolean
}

export interface Asserted {
  /** Accepted by `isChallenge`; the caller must use the challenge up. */
  readonly challenge: string
  readonly counter: number
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
}

const ofClient = clientSteps('webauthn.get')

/**
 * WebAuthn level 3, section 7.2. The caller checks that the challenge counts once. Two choices
 * differ: a synced passkey may report a lower counter, and a passkey may become a synced passkey or
 * cease to be one, because providers of passkeys do both. @throws CeremonyError
 */
export function verifyAssertion(
  sent: unknown,
  known: Known,
  expected: ExpectedAssertion,
): Asserted {
  const response = readResponse(sent)
  if (response.id !== known.id) throw new CeremonyError('id')
  const clientBytes = response.bytes('clientDataJSON')
  const client = attempt('clientDataJSON', () => readClientData(clientBytes))
  takeSteps(ofClient, { client, expected })

  const authData = response.bytes('authenticatorData')
  const data = attempt('authenticatorData', () => readAuthenticatorData(authData))
  takeSteps(authenticatorSteps, { data, expected })

  const { counter, isBackupEligible, isBackedUp } = data
  const signature = response.bytes('signature')
  const signed = Buffer.concat([authData, createHash('sha256').update(clientBytes).digest()])
  takeSteps(
    [
      ['signature', () => isSignatureOf(readPublicKey(known.publicKey), signed, signature)],
      ['counter', () => isBackupEligible || isCounterRight(counter, known.counter)],
    ],
    null,
  )
  // After the signature: an unknown passkey takes as long as a wrong signature.
  const userHandle = response.optionalBytes('userHandle')?.toString('base64url') ?? null
  const isUserHandleRight =
    userHandle === null
      ? !expected.isUserHandleNeeded
      : equalInConstantTime(userHandle, expected.userHandle)
  if (!isUserHandleRight) throw new CeremonyError('user_handle')
  return { challenge: String(client.challenge), counter, isBackupEligible, isBackedUp }
}

/** Authenticators that do not count report 0. */
export function isCounterRight(counter: number, before: number): boolean {
  return counter > before || (counter === 0 && before === 0)
}
