import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { loadConfig } from '../../../test/config.ts'
import { createKeyAges } from './key-ages.ts'
import { longestTokenMs, type OpenKey, openKeys, settleMs } from './opened-keys.ts'
import { type OperatorKey, signingKey } from './signing-key.ts'

const daySeconds = 86_400
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const rsaMaterial = rsa.privateKey.export({ format: 'der', type: 'pkcs8' })
const config = loadConfig({
  ...{ TOKEN_SECONDS: '100', ACCESS_TOKEN_SECONDS: '200', REFRESH_TOKEN_SECONDS: '1000' },
})
const longMs = 1_000_000
const birth = fixedClock().now()

type Purpose = OpenKey['key']['purpose']

/** A key; by default as old as the installation. */
function key(id: string, purpose: Purpose, more: Partial<OpenKey['key']> = {}): OpenKey {
  const algorithm = purpose === 'identity' ? 'RS256' : 'HS256'
  const row = {
    ...{ id, purpose, algorithm, createdAt: birth, retiredAt: null, signsFrom: null },
    ...{ isOlder: false, ...more },
  }
  const material = row.algorithm === 'RS256' ? rsaMaterial : Buffer.alloc(32, id.charCodeAt(0))
  return { key: row, material }
}

const whole = [key('s', 'signing'), key('r', 'refresh'), key('d', 'data')]

interface Given {
  readonly own?: readonly OperatorKey[]
  readonly algorithm?: 'HS256' | 'RS256'
  readonly mayLackSigner?: boolean
}

/** Opens keys that a process has known for `seenMs`, in a process that started a day after birth. */
function open(stored: readonly OpenKey[], { own = [], algorithm = 'HS256', ...more }: Given = {}) {
  const clock = fixedClock()
  clock.advance(daySeconds)
  const ages = createKeyAges(clock)
  const all = stored.toSorted((a, b) => b.key.createdAt - a.key.createdAt)
  ages.see(all.map(({ key: { id } }) => id))
  return { clock, opened: openKeys(all, { algorithm, own, ages, config, ...more }) }
}
const startedAt = birth + daySeconds * 1000

suite('an opened key set', () => {
  test('has a data key, a key of refresh tokens, and a signer unless it may lack one', () => {
    for (const missing of whole) {
      const rest = whole.filter((one) => one !== missing)
      assert.throws(() => open(rest), /^Error: the key set is not whole$/, missing.key.id)
    }
    const rest = whole.slice(1)
    const { opened, clock } = open(rest, { mayLackSigner: true })
    assert.equal(opened.canSign('signing', clock.now()), false)
    assert.equal(opened.canSign('refresh', clock.now()), true)
    assert.throws(() => opened.current('signing', clock.now()), /not whole/)
    assert.throws(() => open(whole, { algorithm: 'RS256' }), /not whole/)
    assert.throws(() => open([key('r', 'refresh')], { mayLackSigner: true }), /not whole/)
    const retired = key('d', 'data', { retiredAt: birth })
    assert.throws(() => open([...whole.slice(0, 2), retired]), /not whole/)
    assert.deepEqual(Buffer.from(open(whole).opened.dataKey), Buffer.alloc(32, 'd'))
    const younger = key('e', 'data', { createdAt: birth + 1 })
    assert.deepEqual(Buffer.from(open([...whole, younger]).opened.dataKey), Buffer.alloc(32, 'e'))
  })

  test('a key verifies tokens of its purpose until it ends', () => {
    const end = startedAt + 60_000
    const { opened } = open([...whole, key('i', 'identity', { retiredAt: end })])
    const found = (kid: string, purpose: 'signing' | 'refresh' | 'identity', now = startedAt) =>
      opened.verifier(kid, purpose, now)?.kid
    for (const [kid, purpose] of [
      ['s', 'signing'],
      ['r', 'refresh'],
      ['i', 'identity'],
    ] as const) {
      const others = (['signing', 'refresh', 'identity'] as const).filter((one) => one !== purpose)
      assert.deepEqual([found(kid, purpose), opened.has(kid)], [kid, true])
      for (const other of others) assert.equal(found(kid, other), undefined)
    }
    for (const kid of ['d', 'x']) {
      assert.deepEqual([opened.has(kid), found(kid, 'signing')], [false, undefined])
    }
    assert.equal(found('i', 'identity', end - 1), 'i')
    assert.equal(found('i', 'identity', end), undefined)
    assert.deepEqual([opened.ended(end - 1), opened.ended(end)], [0, 1])
  })

  test('the public keys are the RS256 keys that have not ended, and hold nothing private', () => {
    const end = startedAt + 60_000
    const { opened } = open([
      ...whole,
      key('t', 'signing', { algorithm: 'RS256', retiredAt: end }),
      key('i', 'identity', { createdAt: birth - 1 }),
    ])
    const { n, e } = rsa.publicKey.export({ format: 'jwk' })
    const shown = (kid: string) => ({ kty: 'RSA', n, e, kid, alg: 'RS256', use: 'sig' })
    assert.deepEqual(opened.jwks(end - 1), [shown('t'), shown('i')])
    assert.deepEqual(opened.jwks(end), [shown('i')])
  })

  test('a key of the operator signs and verifies access tokens, unless it only verifies', () => {
    const own = (signs: boolean): OperatorKey => ({
      ...signingKey('o', 'HS256', Buffer.alloc(32, 9)),
      signs,
    })
    const { opened, clock } = open(whole, { own: [own(true)] })
    const now = clock.now()
    assert.deepEqual(opened.signer('signing', now), { key: own(true), waitMs: 0 })
    assert.equal(opened.current('signing', now).kid, 'o')
    assert.deepEqual(
      [opened.signer('refresh', now).key.kid, opened.current('refresh', now).kid],
      ['r', 'r'],
    )
    assert.equal(opened.verifier('o', 'signing', now)?.kid, 'o')
    assert.equal(opened.verifier('o', 'refresh', now), undefined)
    assert.equal(open(whole.slice(1), { own: [own(true)] }).opened.canSign('signing', now), true)
    const previous = open(whole, { own: [own(false)] }).opened
    assert.equal(previous.current('signing', now).kid, 's')
    assert.equal(previous.verifier('o', 'signing', now)?.kid, 'o')
  })

  test('a successor signs once this process has known it long enough', () => {
    const young = key('n', 'signing', { createdAt: startedAt - 1000 })
    const retired = key('s', 'signing', { retiredAt: startedAt + longMs + 60_000 })
    const { opened, clock } = open([young, retired, ...whole.slice(1)])
    const signer = () => {
      const { key: found, waitMs } = opened.signer('signing', clock.now())
      return [found.kid, waitMs, opened.current('signing', clock.now()).kid]
    }
    assert.deepEqual(signer(), ['s', 0, 's'])
    clock.advance(0.999)
    assert.deepEqual(signer(), ['s', 0, 's'])
    clock.advance(0.001)
    assert.deepEqual(signer(), ['s', 0, 'n'], 'by its age')
    clock.advance(0.999)
    assert.deepEqual(signer(), ['s', 0, 'n'])
    clock.advance(0.001)
    assert.deepEqual(signer(), ['n', 0, 'n'])
  })

  test('without another key a new key is waited for; a key of a minute, or of the birth, is not', () => {
    const wait = (createdAt: number) => {
      const { opened, clock } = open([key('n', 'signing', { createdAt }), ...whole.slice(1)])
      const before = opened.signer('signing', clock.now()).waitMs
      clock.advance(0.5)
      return [before, opened.signer('signing', clock.now()).waitMs]
    }
    assert.deepEqual(wait(startedAt), [settleMs, settleMs - 500])
    assert.deepEqual(wait(startedAt - 59_999), [settleMs, 0])
    assert.deepEqual(wait(startedAt - 60_000), [0, 0])
    const [, refresh, data] = whole.map(({ key: { id, purpose } }) =>
      key(id, purpose, { createdAt: startedAt }),
    )
    assert.ok(refresh && data)
    const first = open([key('n', 'signing', { createdAt: startedAt }), refresh, data])
    assert.equal(first.opened.signer('signing', startedAt).waitMs, 0)
    const later = open([key('n', 'signing', { createdAt: startedAt + 1 }), refresh, data])
    assert.equal(later.opened.signer('signing', startedAt).waitMs, settleMs)
  })

  test('a published key signs from its time on, or when this process has known it for ten minutes', () => {
    const at = startedAt + 300_000
    const published = (signsFrom: number) =>
      open([
        key('n', 'signing', { createdAt: startedAt - 60_000, signsFrom }),
        key('s', 'signing', { retiredAt: startedAt + 10 * longMs }),
        ...whole.slice(1),
      ])
    const kids = ({ opened, clock }: ReturnType<typeof published>) => [
      opened.signer('signing', clock.now()).key.kid,
      opened.current('signing', clock.now()).kid,
    ]
    const soon = published(at)
    soon.clock.advance(299.999)
    assert.deepEqual(kids(soon), ['s', 's'])
    soon.clock.advance(0.001)
    assert.deepEqual(kids(soon), ['n', 'n'])
    const far = published(at * 2)
    far.clock.advance(599.999)
    assert.deepEqual(kids(far), ['s', 's'])
    far.clock.advance(0.001)
    assert.deepEqual(kids(far), ['n', 'n'])
  })

  test('a key signs nothing that outlives it', () => {
    assert.equal(longestTokenMs(config), longMs)
    const retired = key('s', 'signing', { retiredAt: startedAt + longMs })
    const last = open([retired, ...whole.slice(1)])
    assert.equal(last.opened.canSign('signing', startedAt), true)
    assert.equal(last.opened.canSign('signing', startedAt + 1), false)
  })

  test('without a due key, the key before still signs tokens that it outlives', () => {
    const next = key('n', 'signing', { createdAt: startedAt, signsFrom: startedAt + 600_000 })
    const before = (retiredAt: number) =>
      open([next, key('s', 'signing', { retiredAt }), ...whole.slice(1)]).opened
    const kid = (retiredAt: number) => before(retiredAt).current('signing', startedAt).kid
    assert.equal(kid(startedAt + 200_000), 's', 'access tokens live for 200 s')
    assert.equal(kid(startedAt + 199_999), 'n')
    const ofRefresh = (retiredAt: number) =>
      open([
        key('n', 'refresh', { createdAt: startedAt, signsFrom: startedAt + 600_000 }),
        ...[key('r', 'refresh', { retiredAt }), ...whole.filter(({ key: { id } }) => id !== 'r')],
      ]).opened.current('refresh', startedAt).kid
    assert.equal(ofRefresh(startedAt + longMs), 'r')
    assert.equal(ofRefresh(startedAt + longMs - 1), 'n')
  })

  test('keys of access tokens verify refresh tokens of version 0.2.0 for a week and a day', () => {
    const older = [
      key('s', 'signing', { isOlder: true }),
      key('d', 'data', { isOlder: true }),
      key('q', 'refresh', { createdAt: birth + 5000 }),
      key('r', 'refresh', { createdAt: birth + 9000 }),
    ]
    const until = birth + 5000 + 8 * daySeconds * 1000
    const { opened } = open(older)
    assert.equal(opened.verifier('s', 'refresh', until - 1)?.kid, 's')
    assert.equal(opened.verifier('s', 'refresh', until), undefined)
    assert.equal(opened.verifier('s', 'identity', until - 1), undefined)
    assert.equal(opened.verifier('r', 'signing', until - 1), undefined)
    const withIdentity = open([...older, key('i', 'identity')]).opened
    assert.equal(withIdentity.verifier('i', 'refresh', until - 1), undefined)
    const newer = [...older.slice(0, 1), ...whole.slice(1)]
    assert.equal(open(newer).opened.verifier('s', 'refresh', birth), undefined)
  })
})
