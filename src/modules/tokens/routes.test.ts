import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fastify from 'fastify'
import { loadConfig } from '../../../test/config.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Guard } from '../../core/database/transactions.ts'
import { ApiError, type RefusalReason } from '../../core/errors.ts'
import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Principal } from '../../core/policy/principal.ts'
import type { TellReason } from './jws.ts'
import type { RevokeOptions } from './revocations.ts'
import { routes } from './routes.ts'

const account = { userId: 7, username: 'ann' }
const claims = { sub: '7', rid: 'r', exp: 90, ver: 2, amr: ['pwd'], authTime: 50 }
const facts = { user_id: 7 }
const successor = { rid: 's', issuedAt: 60, expiresAt: 99 }

interface Given {
  readonly rotates?: boolean
  readonly isInvalid?: boolean
  readonly isGone?: boolean
  /** Gone when the use of the token is stored. */
  readonly isGoneThen?: boolean
  readonly isUnmet?: boolean
  readonly isPairEnded?: boolean
  readonly isRevoked?: boolean
  readonly isReused?: boolean
  readonly caller?: Partial<Principal>
  readonly isProfileKept?: boolean
  readonly maxAgeSeconds?: number
}

/** A server with these routes alone, and what they do. */
async function server(db: Database, given: Given = {}) {
  const done: unknown[] = []
  const note = async (...step: unknown[]) => void done.push(step)
  const profile = { email: 'profile@example.org', name: 'Profile' }
  const needs = {
    db,
    config: loadConfig({
      ...{ ACCESS_TOKEN_SECONDS: '900', REFRESH_ROTATION: given.rotates ? 'on' : 'off' },
    }),
    accounts: { byUserId: async (id: number) => (id === 7 && !given.isGone ? account : null) },
    events: {
      emitInTransaction: (_: unknown, { name }: { name: string }, payload: object, more: object) =>
        note(name, payload, more),
    },
    keys: {
      published: async () => ({ keys: [{ kty: 'RSA' }], maxAgeSeconds: given.maxAgeSeconds }),
    },
    profiles: {
      of(userId: number) {
        done.push(['profile', userId])
        return given.isProfileKept ? profile : Promise.resolve(profile)
      },
    },
    requirements: {
      refuse(stage: string, on: object) {
        assert.deepEqual(on, { account, since: { now: account, before: { refreshVersion: 2 } } })
        if (given.isUnmet) {
          throw new ApiError('accessDenied', { reason: { code: 'role_lacking' } as RefusalReason })
        }
        assert.equal(stage, 'refresh')
      },
    },
    revocations: {
      refusesRefresh: async () => given.isRevoked ?? false,
      async endPair(sid: string, exp: number, { also }: RevokeOptions) {
        done.push(['end', sid, exp])
        await also?.({} as DatabaseOrTransaction)
      },
    },
    rotation: {
      pairOf: async () => ({ id: 'pair', isEnded: given.isPairEnded ?? false }),
      async use(used: object, guard: Guard, login: object) {
        assert.deepEqual([used, guard.lockNames()], [claims, []])
        if (given.isGoneThen) await guard.authorize(db)
        done.push(['use', login])
        return given.isReused ? 'reused' : successor
      },
    },
    tokens: {
      newJti: () => 'j',
      async issueAccess(...options: unknown[]) {
        done.push(['access', ...options])
        return 'an access token'
      },
      async issueRefresh(...options: unknown[]) {
        done.push(['refresh', ...options])
        return 'a refresh token'
      },
      async verifyRefresh(text: string, tell: TellReason) {
        assert.equal(text, 'sent')
        if (given.isInvalid) tell({ code: 'claim_sub' })
        return given.isInvalid ? null : claims
      },
    },
  } as unknown as Needs
  const app = fastify()
  app.decorateRequest('principal', null)
  app.addHook('onRequest', async (request, reply) => {
    request.principal = (given.caller ?? null) as Principal | null
    if (request.headers.origin) reply.header('access-control-allow-origin', request.headers.origin)
  })
  app.setErrorHandler((error, _request, reply) => {
    assert.ok(error instanceof ApiError, String(error))
    return reply.status(error.status).send({ error: error.message, reason: error.reason })
  })
  await app.register(async (scope) => routes(scope as unknown as App, needs))
  const refresh = async (payload: object = { refresh_token: 'sent' }) =>
    (await app.inject({ method: 'POST', url: '/refresh', payload })).json()
  const me = async () => (await app.inject('/api/me')).json()
  return { app, done, refresh, me }
}

suite('the routes of tokens', async () => {
  const { db } = await ownDatabase()
  const login = { username: 'ann', factors: ['pwd'], jti: 'j' }
  const evidence = { amr: ['pwd'], authTime: 50_000 }
  const issued = ['access', account, { ...evidence, seconds: 900, sid: 'pair', jti: 'j' }]
  const answer = { access_token: 'an access token', token_type: 'Bearer', expires_in: 900 }

  test('a refresh gives an access token of the same login and pair, and records it once', async () => {
    const { done, refresh } = await server(db)
    assert.deepEqual(await refresh(), answer)
    const created = ['authn_token_created', { ...facts, grant: 'refresh' }, { login }]
    assert.deepEqual(done, [issued, created])
  })

  test('with rotation a refresh gives the next refresh token; its use is the record', async () => {
    const { done, refresh } = await server(db, { rotates: true })
    assert.deepEqual(await refresh(), { ...answer, refresh_token: 'a refresh token' })
    const next = ['refresh', account, { ...evidence, identity: successor }]
    assert.deepEqual(done, [['use', login], issued, next])
  })

  test('a token that is used again ends its pair, with a record', async () => {
    const { done, refresh } = await server(db, { rotates: true, isReused: true })
    const reason = { code: 'refresh_token_reused', facts }
    assert.deepEqual(await refresh(), { error: 'Invalid refresh token', reason })
    const refusal = { status: 401, reason: 'refresh_token_reused' }
    const reuse = ['authn_token_reuse', { ...facts, kind: 'refresh' }, { refusal }]
    assert.deepEqual(done, [['use', login], ['end', 'pair', 90], reuse])
  })

  test('a refresh that is refused issues nothing, and has the first reason', async () => {
    const gone = { code: 'refresh_account_gone', facts }
    const ends: [given: Given, reason: object, error?: string][] = [
      [{ isInvalid: true }, { code: 'claim_sub' }],
      [{ isGone: true, isUnmet: true }, gone],
      [{ isUnmet: true, isPairEnded: true }, { code: 'role_lacking' }, 'Access denied'],
      [
        { isPairEnded: true, isRevoked: true },
        { code: 'token_pair_ended', facts },
      ],
      [{ isRevoked: true }, { code: 'refresh_token_revoked', facts }],
      [{ rotates: true, isGoneThen: true }, gone],
    ]
    for (const [given, reason, error = 'Invalid refresh token'] of ends) {
      const { done, refresh } = await server(db, given)
      assert.deepEqual([await refresh(), done], [{ error, reason }, []])
    }
    const { done, refresh } = await server(db)
    for (const sent of [
      {},
      { refresh_token: '' },
      { refresh_token: 7 },
      { refresh_token: ['sent'] },
    ]) {
      const reason = { code: 'refresh_token_absent' }
      assert.deepEqual(await refresh(sent), { error: 'Invalid refresh token', reason })
    }
    assert.deepEqual(done, [])
  })

  test('/api/me: the claims come before the profile, which a caller without an account lacks', async () => {
    const roles = new Set(['USER', 'ADMIN'])
    const caller = (scheme: string, subject: string, more: object = {}) =>
      ({
        subject,
        roles,
        credential: { scheme, claims: { sub: subject, ...more } },
      }) as unknown as Partial<Principal>
    const profile = { email: 'profile@example.org', name: 'Profile' }
    const claimed = { email: 'claim@example.org', name: 'Claim' }
    const shown = { sub: '7', roles: ['USER', 'ADMIN'] }
    for (const isProfileKept of [false, true]) {
      const ask = async (asked: Partial<Principal>) => {
        const { me, done } = await server(db, { caller: asked, isProfileKept })
        return [await me(), done]
      }
      const read = [['profile', 7]]
      assert.deepEqual(await ask(caller('bearer', '7')), [{ ...shown, ...profile }, read])
      assert.deepEqual(await ask(caller('bearer', '7', claimed)), [{ ...shown, ...claimed }, read])
      assert.deepEqual(await ask(caller('external', '7', claimed)), [
        { ...shown, ...claimed },
        read,
      ])
      assert.deepEqual(await ask(caller('key', '7', claimed)), [{ ...shown, ...profile }, read])
      const stranger = { ...shown, sub: 'auth0|x', email: null, name: null }
      assert.deepEqual(await ask(caller('external', 'auth0|x')), [stranger, []])
    }
  })

  test('the public keys are for every origin, and kept for as long as their set says', async () => {
    for (const [maxAgeSeconds, cached] of [
      [0, undefined],
      [1, 'public, max-age=1'],
    ] as const) {
      const { app } = await server(db, { maxAgeSeconds })
      const ask = (headers = {}) => app.inject({ url: '/.well-known/jwks.json', headers })
      const found = await ask()
      assert.deepEqual(found.json(), { keys: [{ kty: 'RSA' }] })
      assert.equal(found.headers['cache-control'], cached)
      assert.equal(found.headers['access-control-allow-origin'], '*')
      const known = await ask({ origin: 'https://app.example' })
      assert.equal(known.headers['access-control-allow-origin'], 'https://app.example')
    }
  })
})
