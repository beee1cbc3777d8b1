import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite } from 'node:test'
import { encodeCBOR } from '@levischuck/tiny-cbor'
import { vectors, vectorsTest } from '../../../../test/vectors.ts'
import { verifyAssertion } from './assertion.ts'
import { readAuthenticatorData } from './authenticator-data.ts'
import { decodeStrict } from './cbor.ts'
import { CeremonyError } from './ceremony-error.ts'
import { isSignatureOf, readPublicKey } from './public-key.ts'
import { verifyRegistration } from './registration.ts'

interface Vector {
  readonly name: string
  readonly registration: Readonly<Record<string, string>>
  readonly authentication: Readonly<Record<string, string>>
}

/** The examples of WebAuthn level 3, section 16, as JSON with hexadecimal bytes. */
const path = 'webauthn/level-3.json'
const origin = 'https://example.org'
const rpIdHash = createHash('sha256').update('example.org').digest()

const text = (hex = '') => Buffer.from(hex, 'hex').toString('base64url')
const isText =
  (hex = '') =>
  (challenge: string) =>
    challenge === text(hex)
const bytes = (hex = '') => Buffer.from(hex, 'hex')

/** The steps that refuse an example, because the service asks for more than the specification. */
function expectedStep(client: string, authData: Uint8Array, more: string | null): string {
  if (client.includes('"crossOrigin":true')) return 'cross_origin'
  return readAuthenticatorData(authData).isUserVerified ? (more ?? 'ok') : 'user_verified'
}

function stepOf(work: () => unknown): string {
  try {
    work()
    return 'ok'
  } catch (error) {
    if (error instanceof CeremonyError) return error.step
    throw error
  }
}

suite('test vectors of WebAuthn level 3', () => {
  vectorsTest(path, 'registrations and assertions', () => {
    let accepted = 0
    const all = vectors<readonly Vector[]>(path) ?? []
    assert.ok(all.length >= 15)
    for (const { name, registration: made, authentication: used } of all) {
      const id = text(made.credential_id)
      const [object] = decodeStrict(bytes(made.attestationObject))
      const attestation = object as Map<string, Uint8Array & Map<string, unknown>>
      const authData = attestation.get('authData') ?? new Uint8Array()
      const { publicKey = new Uint8Array() } = readAuthenticatorData(authData).credential ?? {}
      const isOffered = !/ES384|ES512|Ed448/.test(name)
      const isUnattested = !made.attestationObject?.includes(Buffer.from('x5c').toString('hex'))
      const created = stepOf(() =>
        verifyRegistration(
          {
            ...{ id, rawId: id, type: 'public-key' },
            response: {
              clientDataJSON: text(made.clientDataJSON),
              attestationObject: text(made.attestationObject),
            },
          },
          { isChallenge: isText(made.challenge), origins: [origin], rpIdHash },
        ),
      )
      const refused = isOffered ? 'attestation' : 'algorithm'
      const more = isOffered && isUnattested ? null : refused
      const wanted = expectedStep(bytes(made.clientDataJSON).toString(), authData, more)
      assert.equal(created.replace(/^attestation_.*/, 'attestation'), wanted, name)

      const sent = {
        ...{ id, rawId: id, type: 'public-key' },
        response: {
          clientDataJSON: text(used.clientDataJSON),
          authenticatorData: text(used.authenticatorData),
          signature: text(used.signature),
        },
      }
      const asserted = stepOf(() =>
        verifyAssertion(
          sent,
          { id, publicKey, counter: 0, isBackupEligible: false },
          {
            ...{ isChallenge: isText(used.challenge), origins: [origin], rpIdHash },
            ...{ userHandle: '', isUserHandleNeeded: false },
          },
        ),
      )
      const step = isOffered ? null : 'signature'
      const client = bytes(used.clientDataJSON)
      const usedData = bytes(used.authenticatorData)
      assert.equal(asserted, expectedStep(client.toString(), usedData, step), name)
      if (asserted === 'ok') accepted += 1
      if (!isOffered) continue
      // Also where the user was not verified.
      const signed = Buffer.concat([usedData, createHash('sha256').update(client).digest()])
      assert.ok(isSignatureOf(readPublicKey(publicKey), signed, bytes(used.signature)), name)
    }
    assert.ok(accepted > 0)
  })
})

interface RsaGroup {
  readonly publicKey: { readonly modulus: string; readonly publicExponent: string }
  readonly tests: readonly {
    readonly tcId: number
    readonly comment: string
    readonly msg: string
    readonly sig: string
    readonly result: 'valid' | 'acceptable' | 'invalid'
  }[]
}

suite('Wycheproof: RS256 signatures of passkeys, no bad one accepted, no good one refused', () => {
  for (const [bits, valid] of [
    [2048, 9],
    [3072, 8],
    [4096, 7],
  ] as const) {
    const file = `wycheproof/rsa_signature_${bits}_sha256_test.json`
    vectorsTest(file, `keys of ${bits} bits`, () => {
      const { testGroups } = vectors<{ readonly testGroups: readonly RsaGroup[] }>(file) ?? {
        testGroups: [],
      }
      const accepted: string[] = []
      let good = 0
      for (const { publicKey, tests } of testGroups) {
        const unsigned = (hex: string) => new Uint8Array(bytes(hex.replace(/^00/, '')))
        const [n, e] = [unsigned(publicKey.modulus), unsigned(publicKey.publicExponent)]
        const key = readPublicKey(
          encodeCBOR(
            new Map<number, number | Uint8Array>([
              [1, 3],
              [3, -257],
              [-1, n],
              [-2, e],
            ]),
          ),
        )
        for (const { tcId, comment, msg, sig, result } of tests) {
          const isAccepted = isSignatureOf(key, bytes(msg), bytes(sig))
          if (result === 'valid') good += 1
          if (isAccepted !== (result === 'valid')) accepted.push(`${tcId} ${comment} ${result}`)
        }
      }
      assert.deepEqual(accepted, [])
      assert.equal(good, valid)
    })
  }
})
