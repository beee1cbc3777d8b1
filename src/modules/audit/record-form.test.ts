import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { suite, test } from 'node:test'
import { seededRandom } from '../../../test/random.ts'
import { canonicalJson } from './canonical-json.ts'
import {
  isPerson,
  newSubjectKey,
  openFields,
  openSubjectKey,
  personIndex,
  pseudonymOf,
  sealFields,
  sealSubjectKey,
  serviceIndex,
} from './persons.ts'
import { type AuthenticatedRecord, firstPrevious, macOf } from './record-form.ts'
import { ulid } from './ulid.ts'

const random = seededRandom(20)

suite('canonical JSON, RFC 8785', () => {
  for (const [value, text] of [
    [{ b: 1, a: [true, null, 'x'], c: undefined }, '{"a":[true,null,"x"],"b":1}'],
    [{ '\u20ac': 1, '\r': 2, '1': 3, '\ud83d\ude00': 4 }, '{"\\r":2,"1":3,"€":1,"😀":4}'],
    [[1e21, 0.000001, -0, 333333333.3333333], '[1e+21,0.000001,0,333333333.3333333]'],
    ['\u0000\u001f"\\', '"\\u0000\\u001f\\"\\\\"'],
  ] as const) {
    test(text, () => assert.equal(canonicalJson(value), text))
  }

  test('a number that JSON lacks is refused', () => {
    assert.throws(() => canonicalJson({ a: Number.NaN }), TypeError)
  })
})

suite('the mac of a record', () => {
  const key = Buffer.alloc(32, 1)
  const record: AuthenticatedRecord = {
    chain: 'c',
    place: 1,
    id: '01',
    at: 5,
    type: 't',
    level: 'info',
    outcome: 'success',
    reason: null,
    request_id: 'r',
    facts: '{}',
    actor_key: 'k',
    actor_sealed: 's',
    target_key: null,
    target_sealed: null,
  }
  const previous = firstPrevious(key, 'c')

  test('is HMAC-SHA-256 of the one before and the fields in their order', () => {
    const begin = createHmac('sha256', key).update('begin c').digest('base64url')
    assert.equal(previous, begin)
    const text = `${begin}["c",1,"01",5,"t","info","success",null,"r","{}","k","s",null,null]`
    assert.equal(
      macOf(key, previous, record),
      createHmac('sha256', key).update(text).digest('base64url'),
    )
  })

  test('differs if any field does, or the one before, or the key', () => {
    const mac = macOf(key, previous, record)
    for (const name of Object.keys(record)) {
      assert.notEqual(macOf(key, previous, { ...record, [name]: 'other' }), mac, name)
    }
    assert.notEqual(macOf(key, 'other', record), mac)
    assert.notEqual(macOf(Buffer.alloc(32, 2), previous, record), mac)
  })

  test('does not authenticate what erasure clears', () => {
    const whole = { ...record, number: 7, actor_index: 'i', target_index: null, mac: 'm' }
    assert.equal(macOf(key, previous, whole), macOf(key, previous, record))
  })
})

suite('the fields of a person', () => {
  const key = newSubjectKey(random)

  test('open on their own side of their own record alone, and under their key alone', () => {
    const place = { id: 'one', side: 'actor' } as const
    const sealed = sealFields(random, key, place, { subject: '5', address: '192.0.2.1' })
    assert.deepEqual(openFields(key, place, sealed), { subject: '5', address: '192.0.2.1' })
    assert.throws(() => openFields(key, { ...place, id: 'two' }, sealed))
    assert.throws(() => openFields(key, { ...place, side: 'target' }, sealed))
    assert.throws(() => openFields(newSubjectKey(random), place, sealed))
  })

  test('a key opens in the row of its subject alone', () => {
    const dataKey = newSubjectKey(random)
    const sealed = sealSubjectKey(random, dataKey, '5', key)
    assert.deepEqual(Buffer.from(openSubjectKey(dataKey, '5', sealed)), Buffer.from(key))
    assert.throws(() => openSubjectKey(dataKey, '6', sealed))
  })

  test('pseudonym and indexes of a key are all different, and those of another key too', () => {
    const of = (each: Uint8Array) => [
      pseudonymOf(each),
      personIndex(each, 'actor'),
      personIndex(each, 'target'),
      serviceIndex(each, 'cli', 'actor'),
    ]
    assert.equal(new Set([...of(key), ...of(newSubjectKey(random))]).size, 8)
  })

  test('a user and a person of a provider have keys; commands, jobs and clients have none', () => {
    for (const subject of ['1', '90071992547', 'https://idp.example.org#a#b']) {
      assert.equal(isPerson(subject), true, subject)
    }
    for (const subject of ['cli', 'job', 'bootstrap', 'client:7', 'client:https://a#b', '0', '']) {
      assert.equal(isPerson(subject), false, subject)
    }
  })
})

suite('a ULID', () => {
  test('begins with its time, in the alphabet of Crockford, and is never the same', () => {
    const at = 1_469_918_176_385 // of the example of the specification
    const [one, two] = [ulid(at, random), ulid(at, random)]
    assert.equal(one.slice(0, 10), '01ARYZ6S41')
    assert.match(one, /^[0-9A-HJKMNP-TV-Z]{26}$/)
    assert.notEqual(one, two)
    assert.ok(ulid(at + 1, random).slice(0, 10) > one.slice(0, 10))
  })
})
