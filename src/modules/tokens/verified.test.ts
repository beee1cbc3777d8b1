import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import type { AccessClaims } from '../../core/policy/principal.ts'
import { createVerified, principalOf } from './verified.ts'

/** Verified tokens of a service that counts its verifications and accepts all texts but `refused`. */
function counting() {
  const clock = fixedClock()
  const now = clock.now() / 1000
  const times = { exp: now + 600, nbf: now, iat: now }
  const claims = { sub: '1', roles: [], ...times } as unknown as AccessClaims
  const keys = { generation: 0 }
  let verifications = 0
  const verifyAccess = (token: string) => {
    verifications += 1
    const found = token === 'refused' ? null : claims
    return token.startsWith('later') ? Promise.resolve(found) : found
  }
  const verified = createVerified({ clock, keys, tokens: { verifyAccess } })
  const use = (token: string) => verified.recall(token) ?? verified.verify(token)
  return { clock, keys, use, count: () => verifications }
}

suite('the principal of a token', () => {
  test('authenticated at its auth_time; for an enrolment, at its issue', () => {
    const claims = {
      ...{ sub: '7', username: 'ann', roles: ['USER'], amr: ['pwd'] },
      ...{ type: 'access', auth_time: 100, iat: 200 },
    } as unknown as AccessClaims
    const expected = {
      ...{ subject: '7', username: 'ann', roles: new Set(['USER']), amr: ['pwd'] },
      ...{ credential: { scheme: 'bearer', claims }, authTime: 100_000 },
    }
    assert.deepEqual(principalOf(claims), expected)
    assert.equal(principalOf({ ...claims, type: 'enrolment' }).authTime, 200_000)
  })
})

suite('tokens that were verified', () => {
  test('a token is verified at its first two uses, and kept from the second', () => {
    const { use, count } = counting()
    for (let uses = 0; uses < 5; uses += 1) assert.ok(use('header.payload.signature'))
    assert.equal(count(), 2)
  })

  test('a text whose signature differs in its last characters only is another token', () => {
    const { use, count } = counting()
    for (const end of ['AAAA', 'AAAB', 'BAAA', 'AAAA', 'AAAB', 'BAAA']) use(`h.p.signature${end}`)
    const before = count()
    for (const end of ['AAAC', 'CAAA']) use(`h.p.signature${end}`)
    assert.equal(count(), before + 2)
  })

  test('a refused token is verified at each use', () => {
    const { use, count } = counting()
    for (let uses = 0; uses < 4; uses += 1) assert.equal(use('refused'), null)
    assert.equal(count(), 4)
  })

  test('a token whose key has to be looked up is kept as well', async () => {
    const { use, count } = counting()
    for (let uses = 0; uses < 2; uses += 1) assert.ok(use('later.a.b') instanceof Promise)
    await use('later.a.b')
    const kept = use('later.a.b')
    assert.ok(kept && !(kept instanceof Promise))
    assert.deepEqual([kept.claims.sub, kept.principal.subject, count()], ['1', '1', 3])
  })

  test('a token is not kept if the keys change while it is verified', async () => {
    const { keys, use, count } = counting()
    await use('later.a.b')
    const verifying = use('later.a.b')
    keys.generation += 1
    use('another.a.b') // notices the change
    assert.ok(await verifying)
    assert.ok(use('later.a.b') instanceof Promise)
    assert.equal(count(), 4)
  })

  test('a kept token is verified again after a change of the keys, and after its end', () => {
    const { clock, keys, use, count } = counting()
    for (let uses = 0; uses < 3; uses += 1) use('a.b.c')
    assert.equal(count(), 2)
    keys.generation += 1
    use('a.b.c')
    assert.equal(count(), 3)
    use('a.b.c')
    assert.equal(count(), 3, 'known as used before')
    clock.advance(600)
    use('a.b.c')
    assert.equal(count(), 4)
  })

  test('many tokens that are used in turn are all kept', () => {
    const { use, count } = counting()
    const turn = () => {
      for (let index = 0; index < 9000; index += 1)
        use(`many.${index}.${index * 7919 + 10_000_000}`)
    }
    for (let turns = 0; turns < 2; turns += 1) turn()
    const before = count()
    turn()
    assert.equal(count(), before)
  })

  test('few of the tokens that come after more others than are kept are kept', () => {
    const { use, count } = counting()
    const tokens = Array.from({ length: 12_000 }, (_, index) => `${index}.turn.${index * 7919}sig`)
    for (let round = 0; round < 3; round += 1) for (const token of tokens) use(token)
    assert.ok(count() > 0.9 * 36_000)
  })

  test('however many tokens came before, few are kept at their first use', () => {
    const { use, count } = counting()
    const once = (from: number, to: number) => {
      for (let index = from; index < to; index += 1) use(`once.${index}.${index * 7919}sig`)
    }
    once(0, 200_000)
    const before = count()
    for (let turns = 0; turns < 2; turns += 1) once(200_000, 201_000)
    assert.ok(count() - before > 1_700)
  })

  test('tokens that are used once leave those that are kept', () => {
    const { use, count } = counting()
    for (let uses = 0; uses < 2; uses += 1) use('kept.kept.kept')
    for (let index = 0; index < 20_000; index += 1) use(`once.${index}.${index * 7919}`)
    const before = count()
    use('kept.kept.kept')
    assert.equal(count(), before)
  })
})
