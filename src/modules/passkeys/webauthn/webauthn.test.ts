import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import { type CBORType, encodeCBOR } from '@levischuck/tiny-cbor'
import {
  cose,
  coseOf,
  type Differently,
  flags,
  type SoftwarePasskey,
  softwarePasskey,
} from '../../../../test/passkeys.ts'
import { algorithms } from './algorithms.ts'
import { verifyAssertion } from './assertion.ts'
import { decodeStrict } from './cbor.ts'
import { CeremonyError } from './ceremony-error.ts'
import { verifyRegistration } from './registration.ts'

const origin = 'https://id.example.org'
const related = 'https://shop.example'
const person = Buffer.from('person').toString('base64url')
const challenge = randomBytes(32).toString('base64url')
const rpIdHash = createHash('sha256').update('id.example.org').digest()
const isChallenge = (text: string) => text === challenge
const expected = { isChallenge, origins: [origin, related], rpIdHash }
const creation = { challenge, rp: { id: 'id.example.org' }, user: { id: person } }

/** `ok`, or the step that refuses. */
function stepOf(work: () => unknown): string {
  try {
    work()
    return 'ok'
  } catch (error) {
    if (error instanceof CeremonyError) return error.step
    throw error
  }
}

function registered(differently: Differently): string {
  const passkey = softwarePasskey({ origin })
  return stepOf(() => verifyRegistration(passkey.registration(creation, differently), expected))
}

function asserted(
  differently: Differently & { readonly known?: object; readonly passkey?: SoftwarePasskey },
): string {
  const passkey = differently.passkey ?? softwarePasskey({ origin, isSynced: false })
  const { id, publicKey } = verifyRegistration(passkey.registration(creation), expected)
  const known = { id, publicKey, counter: 5, isBackupEligible: false, ...differently.known }
  const sent = passkey.assertion({ challenge }, { counter: 6, ...differently })
  const wanted = { ...expected, userHandle: person, isUserHandleNeeded: true }
  return stepOf(() => verifyAssertion(sent, known, wanted))
}

const bothCeremonies: readonly (readonly [string, Differently])[] = [
  ['type', { type: 'webauthn.other' }],
  ['challenge', { challenge: 'AAAA' }],
  ['challenge', { challenge: challenge.slice(0, -1) }],
  ['challenge', { challenge: '' }],
  ['origin', { origin: 'https://id.example.org.evil.example' }],
  ['origin', { origin: 'https://id.example.org:8443' }],
  ['origin', { origin: 'http://id.example.org' }],
  ['origin', { origin: 'https://example.org' }],
  ['origin', { origin: `${related}/` }],
  ['origin', { client: { origin: undefined } }],
  ['origin', { client: { origin: [origin] } }],
  ['cross_origin', { client: { crossOrigin: true } }],
  ['cross_origin', { client: { crossOrigin: 'false' } }],
  ['cross_origin', { client: { crossOrigin: true, topOrigin: origin } }],
  ['top_origin', { client: { topOrigin: 'https://evil.example' } }],
  ['rp_id_hash', { rpId: 'evil.example' }],
  ['user_present', { flags: flags.uv }],
  ['user_verified', { flags: flags.up }],
  ['backup_state', { flags: flags.up | flags.uv | flags.bs }],
  ['authenticatorData', { more: new Uint8Array(1) }],
  ['authenticatorData', { flags: flags.up | flags.uv | flags.ed }],
]

suite('WebAuthn level 3', () => {
  for (const algorithm of algorithms) {
    test(`algorithm ${algorithm}: both ceremonies`, () => {
      const passkey = softwarePasskey({ origin, algorithm, isSynced: false })
      const made = verifyRegistration(passkey.registration(creation), expected)
      assert.equal(made.algorithm, algorithm)
      assert.deepEqual(made.transports, ['internal', 'hybrid'])
      assert.equal(asserted({ passkey }), 'ok')
    })
  }

  for (const [step, differently] of bothCeremonies) {
    test(`${step} is checked at both ceremonies: ${JSON.stringify(differently)}`, () => {
      assert.deepEqual([registered(differently), asserted(differently)], [step, step])
    })
  }

  test('the ceremonies are told apart', () => {
    assert.equal(registered({ type: 'webauthn.get' }), 'type')
    assert.equal(asserted({ type: 'webauthn.create' }), 'type')
  })

  test('extensions of the authenticator are read, and ignored', () => {
    const more = encodeCBOR(new Map([['credProtect', 2]]))
    assert.equal(registered({ more, flags: flags.up | flags.uv | flags.ed }), 'ok')
    assert.equal(asserted({ more, flags: flags.up | flags.uv | flags.ed }), 'ok')
  })

  test('7.2: id, user handle, counter and signature of an assertion', () => {
    const other = softwarePasskey({ origin })
    assert.equal(asserted({ id: other.id }), 'id')
    assert.equal(asserted({ userHandle: 'AAAA' }), 'user_handle')
    assert.equal(asserted({ userHandle: null }), 'user_handle')
    assert.equal(asserted({ known: { publicKey: other.publicKey } }), 'signature')
    for (const counter of [5, 4, 0]) assert.equal(asserted({ counter }), 'counter')
    for (const counter of [6, 2 ** 32 - 1]) assert.equal(asserted({ counter }), 'ok')
    assert.equal(asserted({ counter: 0, known: { counter: 0 } }), 'ok')
  })

  test('a synced passkey may report a lower counter', () => {
    const synced = flags.up | flags.uv | flags.be
    assert.equal(asserted({ counter: 1, flags: synced }), 'ok')
  })

  test('7.1: length of the id, algorithm, point on the curve', () => {
    const idOf = (bytes: number) => randomBytes(bytes).toString('base64url')
    assert.equal(registered({ id: idOf(1023) }), 'ok')
    assert.equal(registered({ id: idOf(1024) }), 'authenticatorData')
    const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
    const bytes = (length: number) => new Uint8Array(length).fill(1)
    const point: [number, CBORType][] = [
      ...([[1, 2] as const, [3, -7] as const, [-1, 1] as const] as [number, CBORType][]),
      ...([[-2, bytes(32)] as const, [-3, bytes(32)] as const] as [number, CBORType][]),
    ]
    for (const publicKey of [
      ...[coseOf(-35, p384), coseOf(-36, p256), coseOf(-7, p384), coseOf(-8, p256)],
      ...[coseOf(-65535, small), coseOf(-257, small), cose(point), cose([]), encodeCBOR('key')],
    ]) {
      assert.equal(registered({ publicKey }), 'algorithm')
    }
  })

  test('a statement that is not verified is refused', () => {
    const object = (format: string, statement: Map<string, CBORType>) =>
      registered({
        attestation: encodeCBOR(
          new Map<string, CBORType>([
            ['fmt', format],
            ['attStmt', statement],
            ['authData', authDataOf(softwarePasskey({ origin }))],
          ]),
        ),
      })
    assert.equal(object('tpm', new Map()), 'attestation_format')
    assert.equal(object('none', new Map([['sig', 'x']])), 'attestation_statement')
    const signature = new Uint8Array(70)
    assert.equal(
      object(
        'packed',
        new Map<string, CBORType>([
          ['alg', -7],
          ['sig', signature],
        ]),
      ),
      'attestation_statement',
    )
  })

  test('an attestation object that is no strict CBOR is refused', () => {
    const whole = Buffer.from(
      softwarePasskey({ origin }).registration(creation).response.attestationObject,
      'base64url',
    )
    const nested = Buffer.concat([Buffer.alloc(5000, 0x81), Buffer.from([0])])
    for (const attestation of [
      ...[Buffer.alloc(0), whole.subarray(1), whole.subarray(0, -1)],
      ...[Buffer.concat([whole, Buffer.from([0])]), Buffer.concat([whole, whole])],
      ...[Buffer.concat([Buffer.from([0xbf]), whole.subarray(1), Buffer.from([0xff])])],
      ...[nested, Buffer.alloc(40_000, 0x80), Buffer.from([0xf6])],
    ]) {
      assert.match(registered({ attestation }), /^(attestationObject|authenticatorData)$/)
    }
  })

  test('strict CBOR', () => {
    const refused = {
      'indefinite bytes': '5f4101ff',
      'indefinite text': '7f6161ff',
      'indefinite array': '9f01ff',
      'indefinite map': 'bf0101ff',
      'a tag': 'c001',
      'a float': 'f93c00',
      undefined: 'f7',
      'a key twice': 'a201010102',
      'not the shortest form': '1801',
      'not the shortest length': '590001ff',
      'bytes beyond the end': '4a01',
      'a huge array': '9affffffff00',
      'eight bytes of length': '5b0000000000000001ff',
      'nested five times': '818181818100',
      nothing: '',
    }
    for (const [name, hex] of Object.entries(refused)) {
      assert.throws(() => decodeStrict(Buffer.from(hex, 'hex')), name)
    }
    assert.deepEqual(decodeStrict(Buffer.from('81818100', 'hex')), [[[[0]]], 4])
    assert.deepEqual(decodeStrict(Buffer.from('01a1616102', 'hex'), 1), [new Map([['a', 2]]), 5])
  })

  test('16 kinds of junk are refused', () => {
    const known = { id: 'AAAA', publicKey: new Uint8Array(), counter: 0, isBackupEligible: false }
    const response = { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA' }
    const good = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response }
    const junk: unknown[] = [
      ...[null, undefined, 1, 'text', [], {}, true, { ...good, type: 'password' }],
      ...[
        { ...good, rawId: 'AAAB' },
        { ...good, id: 7 },
        { ...good, response: null },
      ],
      ...[good, { ...good, response: { ...response, clientDataJSON: 'W10' } }],
      ...[{ ...good, response: { ...response, clientDataJSON: '_w' } }],
      ...[{ ...good, response: { ...response, clientDataJSON: 'e31=' } }],
      ...[{ ...good, response: { ...response, clientDataJSON: 'A'.repeat(100_000) } }],
    ]
    assert.equal(junk.length, 16)
    const wanted = { ...expected, userHandle: person, isUserHandleNeeded: false }
    for (const sent of junk) {
      assert.notEqual(
        stepOf(() => verifyAssertion(sent, known, wanted)),
        'ok',
      )
      assert.notEqual(
        stepOf(() => verifyRegistration(sent, expected)),
        'ok',
      )
    }
  })
})

function authDataOf(passkey: SoftwarePasskey): Uint8Array {
  const { attestationObject } = passkey.registration(creation).response
  const [object] = decodeStrict(Buffer.from(attestationObject, 'base64url'))
  return (object as Map<string, Uint8Array>).get('authData') ?? new Uint8Array()
}
