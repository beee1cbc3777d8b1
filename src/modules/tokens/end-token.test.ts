import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import {
  type EndTokenDeps,
  endAccessToken,
  endLogin,
  endOf,
  endRefreshToken,
  type TokenEnd,
} from './end-token.ts'
import type { RevokeOptions } from './revocations.ts'

const trx = {} as DatabaseOrTransaction
const guard = { lockNames: () => [], authorize: async () => {} }
const end: TokenEnd = { reason: 'client', guard }
const single = { sub: '7', jti: 'a', username: 'ann', exp: 60 }
const paired = { ...single, sid: 's' }

/** The tokens of a service, by text, and what is ended with which event. */
function ending() {
  const tokens: Record<string, object> = {
    ...{ 'access single': single, 'access paired': paired },
    ...{ 'enrolment enrols': { ...single, jti: 'e' }, 'refresh renews': { sub: '7', exp: 90 } },
  }
  const ends: unknown[] = []
  const note = async (what: unknown, { guard: given, also }: RevokeOptions = {}) => {
    assert.equal(given, guard, 'the caller is authorized in the transaction')
    ends.push(what)
    await also?.(trx)
  }
  const deps = {
    tokens: {
      verifyAccess: async (text: string, type = 'access') => tokens[`${type} ${text}`] ?? null,
      verifyRefresh: async (text: string) => tokens[`refresh ${text}`] ?? null,
    },
    rotation: { pairOf: async (claims: object) => ({ id: `pair of ${JSON.stringify(claims)}` }) },
    revocations: {
      revoke: ({ jti, exp }: typeof single, options?: RevokeOptions) => note([jti, exp], options),
      endPair: (sid: string, exp: number, options?: RevokeOptions) =>
        note(['pair', sid, exp], options),
    },
    events: {
      async emitInTransaction(on: unknown, type: { name: string }, payload: object, more: object) {
        assert.equal(on, trx)
        ends.push([type.name, payload, more])
      },
    },
  } as unknown as EndTokenDeps
  return { deps, ends }
}

const event = (login: object, user_id: number | null = 7, reason = 'client') => [
  'authn_token_revoked',
  { user_id, reason },
  { login },
]
const ann = (jti: string) => event({ jti, username: 'ann' })

suite('the end of a token', () => {
  test('an access token or enrolment token ends alone', async () => {
    for (const [text, jti] of [
      ['single', 'a'],
      ['paired', 'a'],
      ['enrols', 'e'],
    ] as const) {
      const { deps, ends } = ending()
      assert.equal(await endAccessToken(deps, text, end), true)
      assert.deepEqual(ends, [[jti, 60], ann(jti)], text)
    }
  })

  test('a refresh token ends with its pair', async () => {
    const { deps, ends } = ending()
    assert.equal(await endRefreshToken(deps, 'renews', end), true)
    assert.deepEqual(ends, [['pair', 'pair of {"sub":"7","exp":90}', 90], event({})])
  })

  test('a login ends as a whole: its pair, or its only token', async () => {
    for (const [text, ended] of [
      ['paired', ['pair', 's', 60]],
      ['single', ['a', 60]],
    ] as const) {
      const { deps, ends } = ending()
      await endLogin(deps, text, end)
      assert.deepEqual(ends, [ended, ann('a')], text)
    }
    const { deps, ends } = ending()
    await endLogin(deps, 'enrols', end)
    assert.deepEqual(ends, [['e', 60], ann('e')])
  })

  test('any other text ends nothing', async () => {
    const { deps, ends } = ending()
    for (const text of ['renews', 'other']) {
      assert.equal(await endAccessToken(deps, text, end), false)
      await endLogin(deps, text, end)
    }
    for (const text of ['single', 'enrols', 'other']) {
      assert.equal(await endRefreshToken(deps, text, end), false)
    }
    assert.deepEqual(ends, [])
  })

  test('a token that is named by its id alone has no user in the event', async () => {
    const { deps, ends } = ending()
    const options = endOf(deps, { reason: 'administrator' })
    assert.equal(options.guard, undefined)
    await options.also?.(trx)
    assert.deepEqual(ends, [event({}, null, 'administrator')])
  })
})
