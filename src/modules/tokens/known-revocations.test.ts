import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { KnownRevocations, namesOf, pairName, sidOf } from './known-revocations.ts'
import type { LoggedRevocation, Revocation } from './revocation-store.ts'

const claims = { jti: 'a', sid: 's', sub: '7', ver: 3 }
const facts = { user_id: 7 }

const entry = (id: number, revocation: Revocation, expiresAt = 100): LoggedRevocation => ({
  ...{ id, revocation, expiresAt },
})
const version = (id: number, accessVersion: number, expiresAt = 100) =>
  entry(id, { userId: 7, accessVersion }, expiresAt)
const token = (id: number, name: string, expiresAt = 100) => entry(id, { token: name }, expiresAt)

function knowing(...entries: LoggedRevocation[]) {
  const known = new KnownRevocations()
  known.add(entries)
  return known
}

suite('known revocations', () => {
  test('a token ends by its id, by its pair, or by a higher version of its user', () => {
    const ends: [name: string, known: KnownRevocations, reason: object][] = [
      ['id', knowing(token(1, 'a')), { code: 'token_revoked', facts }],
      ['pair', knowing(token(1, pairName('s'))), { code: 'token_pair_ended', facts }],
      [
        'version',
        knowing(version(1, 4)),
        { code: 'token_signed_out', facts: { ...facts, ver: 3, needed_ver: 4 } },
      ],
    ]
    for (const [name, known, reason] of ends) {
      assert.equal(known.ends(claims), true, name)
      assert.deepEqual(known.reasonOf(claims), reason, name)
    }
    const earlier = { code: 'token_revoked_earlier', facts }
    const first = { ...claims, ver: 0 }
    assert.equal(knowing().ends(first), false)
    assert.deepEqual(knowing().reasonOf(first), earlier)
    const others: [name: string, known: KnownRevocations][] = [
      ['nothing', knowing()],
      ['other names', knowing(token(1, 'b'), token(2, pairName('a')), token(3, 's'))],
      ['the same version', knowing(version(1, 3))],
      ['another user', knowing(entry(1, { userId: 8, accessVersion: 9 }))],
    ]
    for (const [name, known] of others) {
      assert.equal(known.ends(claims), false, name)
      assert.deepEqual(known.reasonOf(claims), earlier, name)
    }
    const { sid: _, ...single } = claims
    const known = knowing(token(1, pairName('s')), token(2, pairName('undefined')))
    assert.equal(known.ends(single), false, 'a token of no pair')
    assert.deepEqual(known.reasonOf(single), earlier)
  })

  test('the id comes before the pair, and the pair before the version', () => {
    const all = [version(1, 4), token(2, pairName('s')), token(3, 'a')]
    const codes = [3, 2, 1].map((length) => knowing(...all.slice(0, length)).reasonOf(claims).code)
    assert.deepEqual(codes, ['token_revoked', 'token_pair_ended', 'token_signed_out'])
  })

  test('the names of a token are its id and its pair', () => {
    assert.deepEqual(namesOf(claims), ['a', 'pair s'])
    assert.deepEqual(namesOf({ jti: 'a' }), ['a'])
    assert.equal(sidOf('pair s'), 's')
    assert.equal(sidOf('a'), null)
  })

  test('the latest end and the highest version count, in any order', () => {
    for (const times of [
      [100, 200],
      [200, 100],
    ]) {
      const known = knowing(...times.map((expiresAt, id) => token(id, 'a', expiresAt)))
      assert.equal(known.endOf('a'), 200)
      assert.equal(known.endOf('b'), 0)
    }
    for (const versions of [
      [4, 3],
      [3, 4],
    ]) {
      const known = knowing(...versions.map((accessVersion, id) => version(id, accessVersion)))
      assert.equal(known.ends(claims), true)
    }
  })

  test('the last entry is the last one added; a reload keeps what is known', () => {
    const known = knowing(token(1, 'a'), token(2, 'b'))
    assert.deepEqual(known.last, token(2, 'b'))
    known.add([])
    assert.deepEqual(known.last, token(2, 'b'))
    known.reload([])
    assert.deepEqual([known.last, known.ends(claims)], [undefined, true])
    known.reload([token(1, 'c')])
    assert.deepEqual([known.last, known.endOf('c')], [token(1, 'c'), 100])
  })

  test('an entry is forgotten at its expiry', () => {
    const known = knowing(token(1, 'a', 100), version(2, 4, 200))
    known.forget(99)
    assert.equal(known.endOf('a'), 100)
    known.forget(100)
    assert.equal(known.endOf('a'), 0)
    known.forget(199)
    assert.equal(known.ends(claims), true, 'the version')
    known.forget(200) // the end of a pass
    known.forget(200)
    assert.equal(known.ends(claims), false)
  })

  test('what the log lacks is found, until it expires', () => {
    const known = knowing(token(1, 'a', 100), token(2, 'b', 200), version(3, 4, 150))
    const a = { revocation: { token: 'a' }, expiresAt: 100 }
    const b = { revocation: { token: 'b' }, expiresAt: 200 }
    const user = { revocation: { userId: 7, accessVersion: 4 }, expiresAt: 150 }
    assert.deepEqual(known.missingIn([], 99), [a, b, user])
    assert.deepEqual(known.missingIn([], 100), [b, user])
    assert.deepEqual(known.missingIn([], 149), [b, user])
    assert.deepEqual(known.missingIn([], 150), [b])
    assert.deepEqual(known.missingIn([token(1, 'a', 100), version(2, 4, 150)], 0), [b])
    assert.deepEqual(known.missingIn([token(9, 'b', 1)], 99), [a, user], 'at any id')
  })

  test('a version that the database has assigned again becomes one higher', () => {
    const known = knowing(version(3, 4, 150))
    const missing = (...entries: LoggedRevocation[]) => known.missingIn(entries, 0)
    const user = (accessVersion: number, expiresAt: number) => [
      { revocation: { userId: 7, accessVersion }, expiresAt },
    ]
    assert.deepEqual(missing(version(1, 3, 150)), user(4, 150), 'a lower one')
    assert.deepEqual(missing(version(1, 5, 160)), [], 'a higher one ends the same tokens')
    assert.deepEqual(missing(version(1, 4, 150)), [], 'the known one')
    assert.deepEqual(missing(version(1, 4, 151)), [], 'the known one, restored')
    for (const expiresAt of [149, 152, 170]) {
      assert.deepEqual(missing(version(1, 4, expiresAt)), user(5, expiresAt))
    }
  })
})
