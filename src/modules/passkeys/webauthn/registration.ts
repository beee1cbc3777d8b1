import { createHash } from 'node:crypto'
import type { Algorithm } from './algorithms.ts'
import { type AuthenticatorData, readAuthenticatorData } from './authenticator-data.ts'
import { authenticatorSteps } from './authenticator-steps.ts'
import { decodeStrict } from './cbor.ts'
import { attempt, CeremonyError, type Steps, takeSteps } from './ceremony-error.ts'
import { clientSteps, type Expected, readClientData } from './client-data.ts'
import { isSignatureOf, type PublicKey, readPublicKey } from './public-key.ts'
import { readResponse } from './response.ts'

export interface Registered {
  /** Accepted by `isChallenge`; the caller must use the challenge up. */
  readonly challenge: string
  /** base64url. */
  readonly id: string
  /** COSE_Key. */
  readonly publicKey: Uint8Array
  readonly algorithm: Algorithm
  readonly counter: number
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
  readonly transports: readonly string[]
}

interface AttestationFacts {
  readonly format: unknown
  readonly statement: unknown
  readonly data: AuthenticatorData
  readonly signed: Uint8Array
  readonly publicKey: PublicKey
}

/**
 * Attestation is not asked for. Browsers then send `none`, or leave the self attestation of an
 * authenticator without a model. A statement that is not verified is refused.
 */
const attestationSteps: Steps<AttestationFacts> = [
  ['attestation_format', ({ format }) => format === 'none' || format === 'packed'],
  [
    'attestation_statement',
    ({ format, statement, signed, publicKey }) => {
      if (!(statement instanceof Map)) return false
      if (format === 'none') return statement.size === 0
      const signature = statement.get('sig')
      const isSelf = statement.size === 2 && statement.get('alg') === publicKey.algorithm
      return (
        isSelf && signature instanceof Uint8Array && isSignatureOf(publicKey, signed, signature)
      )
    },
  ],
]

const ofClient = clientSteps('webauthn.create')
const maxTransports = 8
const transportFormat = /^[a-z-]{1,20}$/

/**
 * WebAuthn level 3, section 7.1. The caller checks that the challenge counts once and that the
 * credential id is new (steps 26 and 27). @throws CeremonyError
 */
export function verifyRegistration(sent: unknown, expected: Expected): Registered {
  const response = readResponse(sent)
  const clientBytes = response.bytes('clientDataJSON')
  const client = attempt('clientDataJSON', () => readClientData(clientBytes))
  takeSteps(ofClient, { client, expected })

  const [format, statement, authData] = attempt('attestationObject', () =>
    readAttestation(response.bytes('attestationObject')),
  )
  const data = attempt('authenticatorData', () => readAuthenticatorData(authData))
  takeSteps(authenticatorSteps, { data, expected })

  const { credential } = data
  if (!credential) throw new CeremonyError('credential')
  const publicKey = attempt('algorithm', () => readPublicKey(credential.publicKey))
  const signed = Buffer.concat([authData, createHash('sha256').update(clientBytes).digest()])
  takeSteps(attestationSteps, { format, statement, data, signed, publicKey })
  if (Buffer.from(credential.id).toString('base64url') !== response.id) {
    throw new CeremonyError('id')
  }
  return {
    challenge: String(client.challenge),
    id: response.id,
    publicKey: credential.publicKey,
    algorithm: publicKey.algorithm,
    counter: data.counter,
    isBackupEligible: data.isBackupEligible,
    isBackedUp: data.isBackedUp,
    transports: response
      .texts('transports')
      .filter((name) => transportFormat.test(name))
      .slice(0, maxTransports),
  }
}

function readAttestation(bytes: Uint8Array): [unknown, unknown, Uint8Array] {
  const [object, end] = decodeStrict(bytes)
  if (!(object instanceof Map) || end !== bytes.length) throw new Error('no attestation object')
  const authData = object.get('authData')
  if (!(authData instanceof Uint8Array)) throw new Error('no authenticator data')
  return [object.get('fmt'), object.get('attStmt'), authData]
}
