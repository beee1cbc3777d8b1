import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fastifyCookie from '@fastify/cookie'
import fastify from 'fastify'
import { loadConfig } from '../../../test/config.ts'
import type { Database } from '../../core/database/database.ts'
import { absenceOf } from '../../core/http/changes/absence.ts'
import { sessionAuthenticator } from './authenticator.ts'
import type { EndedSession, LiveSession, Sessions, StoredSession } from './sessions.ts'

suite('the authenticator of sessions', async () => {
  const config = loadConfig({ NODE_ENV: 'test', BASE_URL: 'https://auth.example' })
  const stored = {
    ...{ id: 'id7', userId: 7, username: 'ann', amr: ['pwd'], csrfToken: 'csrf', authTime: 5 },
    account: { roles: ['ADMIN', 'OTHER', 'USER'], secondFactor: false },
  } as unknown as StoredSession
  const live: LiveSession = { stored, expiresAt: 9, needsEnrolment: false }
  const enrolling = { ...live, needsEnrolment: true }
  const ended: EndedSession = { ended: { code: 'session_malformed' } }
  const answers: Record<string, LiveSession | EndedSession> = { live, enrolling, ended }
  let again: LiveSession | null = live

  const sessions = {
    resume(secret: string) {
      const answer = answers[secret.replace('later-', '')]
      return secret.startsWith('later-') ? Promise.resolve(answer) : answer
    },
    revalidate: async (_db: Database, id: string) => (id === 'id7' ? again : assert.fail(id)),
  }
  const { authenticate } = sessionAuthenticator(config, sessions as unknown as Sessions)

  const app = fastify()
  await app.register(fastifyCookie, { hook: false })
  app.decorate('authenticators', [])
  for (const enrols of [false, true]) {
    app.get(`/${enrols}`, { config: { enrols } }, async (request) => {
      const caller = await authenticate(request)
      if (!caller) return { absent: absenceOf(request, []).code }
      const { roles, ...principal } = caller.principal
      const revalidated = await caller.revalidate({} as Database)
      return {
        principal: { ...principal, roles: [...roles] },
        locks: caller.lockNames(),
        again: revalidated?.subject ?? null,
        isSameSet: revalidated === null || revalidated.roles === roles,
      }
    })
  }
  const ask = async (secret: string | undefined, enrols = false) => {
    const headers = secret === undefined ? {} : { cookie: `${config.session.cookieName}=${secret}` }
    return (await app.inject({ url: `/${enrols}`, headers })).json()
  }

  const principal = {
    ...{ subject: '7', username: 'ann', amr: ['pwd'], authTime: 5, roles: ['USER', 'ADMIN'] },
    credential: { scheme: 'session', sessionId: 'id7', csrfToken: 'csrf', expiresAt: 9 },
  }
  const known = { principal, locks: ['account 7'], again: '7', isSameSet: true }

  for (const later of ['', 'later-']) {
    test(`knows the caller of a live session, ${later ? 'read first' : 'kept'}`, async () => {
      assert.deepEqual(await ask(`${later}live`), known)
      assert.deepEqual(await ask(`${later}ended`), { absent: 'session_malformed' })
    })

    test(`admits a session before its enrolment for that alone, ${later ? 'read first' : 'kept'}`, async () => {
      assert.deepEqual(await ask(`${later}enrolling`), { absent: 'session_must_enrol' })
      assert.deepEqual(await ask(`${later}enrolling`, true), known)
    })
  }

  test('knows no caller without a cookie', async () => {
    assert.deepEqual(await ask(undefined), { absent: 'no_credential' })
  })

  test('reads the caller again: ended, or before the enrolment', async () => {
    again = null
    assert.deepEqual(await ask('live'), { ...known, again: null })
    again = enrolling
    assert.deepEqual(await ask('live'), { ...known, again: null })
    assert.deepEqual(await ask('live', true), known)
    again = live
  })
})
