import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import {
  type AssertionJson,
  type Differently,
  type RegistrationJson,
  type SoftwarePasskey,
  softwarePasskey,
} from '../../../../test/passkeys.ts'
import { algorithms } from './algorithms.ts'
import { verifyAssertion } from './assertion.ts'
import { verifyRegistration } from './registration.ts'

const origin = 'https://id.example.org'
const rpId = 'id.example.org'
const rpIdHash = createHash('sha256').update(rpId).digest()
const challenge = randomBytes(32).toString('base64url')
const person = Buffer.alloc(32, 7).toString('base64url')
const seed = Number(process.env.FUZZ_SEED ?? 35)

/** Mulberry32. */
function numbers(start: number): (below: number) => number {
  let state = start
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** One of the usual faults of bytes. */
function mutated(pick: (below: number) => number, bytes: Buffer): Buffer {
  if (bytes.length === 0) return Buffer.of(pick(256))
  const at = pick(bytes.length)
  const changed = Buffer.from(bytes)
  switch (pick(6)) {
    case 0:
      changed.writeUInt8((bytes.readUInt8(at) ^ (1 << pick(8))) & 255, at)
      return changed
    case 1:
      changed.writeUInt8(pick(256), at)
      return changed
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
    case 3:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([pick(256)]), bytes.subarray(at)])
    case 4:
      return bytes.subarray(0, at)
    default:
      return Buffer.concat([bytes, bytes.subarray(0, at)])
  }
}

/** Changes text of JSON at places that matter. */
function mutatedClient(pick: (below: number) => number, bytes: Buffer): Buffer {
  const text = bytes.toString()
  const kinds = [
    text.replace('webauthn.', 'webauthn,'),
    text.replace('https:', 'http:'),
    text.replace('example.org', 'example.org.'),
    text.replace('"crossOrigin":false', '"crossOrigin":true'),
    text.replace('}', ',"topOrigin":"https://id.example.org"}'),
    text.replace('}', ',"tokenBinding":{"status":"supported"}}'),
    text.replace('{', '{ '),
    text.replace('"type"', '"type":"webauthn.get","type"'),
    `\ufeff${text}`,
  ]
  const kind = kinds[pick(kinds.length * 2)]
  return kind === undefined ? mutated(pick, bytes) : Buffer.from(kind)
}

function differentlySigned(pick: (below: number) => number): Differently {
  const kind = pick(4)
  if (kind === 0) return { clientData: (bytes) => mutatedClient(pick, bytes) }
  if (kind === 1) return { authData: (bytes) => mutated(pick, bytes) }
  return {}
}

/** Changes a field after the signature. */
function tampered<Sent extends AssertionJson | RegistrationJson>(
  pick: (below: number) => number,
  sent: Sent,
): Sent {
  const fields = Object.keys(sent.response).filter((name) => name !== 'transports')
  const field = fields[pick(fields.length)] ?? ''
  const value = (sent.response as Readonly<Record<string, unknown>>)[field]
  const bytes = mutated(pick, Buffer.from(String(value), 'base64url'))
  return { ...sent, response: { ...sent.response, [field]: bytes.toString('base64url') } }
}

async function isAccepted(work: () => unknown): Promise<boolean> {
  try {
    await work()
    return true
  } catch {
    return false
  }
}

const creation = { challenge, rp: { id: rpId }, user: { id: person } }

function passkeys(): SoftwarePasskey[] {
  return algorithms.map((algorithm) => softwarePasskey({ origin, algorithm, isSynced: false }))
}

suite(`verification compared with another implementation, seed ${seed}`, async () => {
  const other = await import('@simplewebauthn/server')

  test('5,000 assertions: what ours accepts, the other accepts', async () => {
    const pick = numbers(seed)
    const counts = { both: 0, ours: 0, neither: 0, other: 0 }
    const all = passkeys()
    const known = all.map((passkey) => verifyRegistration(passkey.registration(creation), ours()))
    for (let round = 0; round < 5000; round += 1) {
      const index = pick(10) === 0 ? 2 : pick(2)
      const [passkey, { id, publicKey } = { id: '', publicKey: new Uint8Array() }] = [
        all[index] ?? assert.fail(),
        known[index],
      ]
      const signed = passkey.assertion({ challenge }, differentlySigned(pick))
      const sent = pick(2) === 0 ? signed : tampered(pick, signed)
      const byOurs = await isAccepted(() =>
        verifyAssertion(
          sent,
          { id, publicKey, counter: 0, isBackupEligible: false },
          { ...ours(), userHandle: person, isUserHandleNeeded: true },
        ),
      )
      const byOther = await isAccepted(async () => {
        const { verified } = await other.verifyAuthenticationResponse({
          response: sent as never, // as untyped as a request
          ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId },
          credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
          requireUserVerification: true,
        })
        assert.ok(verified)
      })
      counts[byOurs ? (byOther ? 'both' : 'ours') : byOther ? 'other' : 'neither'] += 1
      assert.ok(!byOurs || byOther, `round ${round}: ours alone accepts ${JSON.stringify(sent)}`)
    }
    assert.ok(counts.both > 500 && counts.neither > 1000, JSON.stringify(counts))
  })

  test('2,000 registrations: what ours accepts, the other accepts', async () => {
    const pick = numbers(seed + 1)
    const counts = { both: 0, neither: 0, other: 0 }
    const all = passkeys()
    for (let round = 0; round < 2000; round += 1) {
      const passkey = all[pick(3)] ?? assert.fail()
      const made = passkey.registration(creation, differentlySigned(pick))
      const sent = pick(2) === 0 ? made : tampered(pick, made)
      const byOurs = await isAccepted(() => verifyRegistration(sent, ours()))
      const byOther = await isAccepted(async () => {
        const { verified } = await other.verifyRegistrationResponse({
          response: sent as never, // as untyped as a request
          ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId },
          ...{ requireUserVerification: true, supportedAlgorithmIDs: [...algorithms] },
        })
        assert.ok(verified)
      })
      counts[byOurs ? 'both' : byOther ? 'other' : 'neither'] += 1
      assert.ok(!byOurs || byOther, `round ${round}: ours alone accepts ${JSON.stringify(sent)}`)
    }
    assert.ok(counts.both > 200 && counts.neither > 300, JSON.stringify(counts))
  })
})

function ours() {
  return { isChallenge: (text: string) => text === challenge, origins: [origin], rpIdHash }
}
