// A database makes a difference: two processes share it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decodeJwt } from 'jose'
import { asClient } from '../clients.ts'
import { enrol } from '../factor.ts'
import { assertEnded, type Ended, kidOf, type Made, twoNodes } from '../two-nodes.ts'

suite('what ends at one node is refused at the other in the next request', async () => {
  const nodes = await twoNodes()
  const { one, clock, byAdmin, identities, atHost } = nodes
  const account = ({ who }: Made) => `/api/admin/accounts/${who.username}`
  const change = (json: object) => (made: Made) =>
    one.call('PUT', account(made), { ...byAdmin, json })
  const done: Ended = { status: 200, text: '' }

  /** What ends, how, and what the other node accepts afterwards. */
  const kinds: readonly (readonly [string, (made: Made) => Promise<Ended>, string])[] = [
    [
      'a token, by logout',
      ({ token }) => one.call('POST', '/logout', { headers: { authorization: `Bearer ${token}` } }),
      'pair session host external',
    ],
    [
      'a pair, by logout',
      ({ pair }) =>
        one.call('POST', '/logout', { headers: { authorization: `Bearer ${pair.access_token}` } }),
      'token session host external',
    ],
    [
      'a session, by logout',
      ({ session }) => one.call('POST', '/logout', { headers: session }),
      'token pair external',
    ],
    [
      'a token, by its id',
      ({ token }) => {
        const { jti, exp } = decodeJwt(token)
        return one.call('POST', '/api/admin/tokens/revoke', { ...byAdmin, json: { jti, exp } })
      },
      'pair session host external',
    ],
    [
      'a token, by a client',
      ({ token }) =>
        one.call('POST', '/oauth/revoke', { headers: asClient('shop'), form: { token } }),
      'pair session host external',
    ],
    [
      'a refresh token, by a client',
      ({ pair: { refresh_token: token } }) =>
        one.call('POST', '/oauth/revoke', { headers: asClient('shop'), form: { token } }),
      'token session host external',
    ],
    [
      'a pair, by the second use of a refresh token',
      async ({ pair: { refresh_token } }) => {
        const refresh = () => one.call('POST', '/refresh', { form: { refresh_token } })
        assert.equal((await refresh()).status, 200)
        const { status, text } = await refresh()
        return { status: status === 401 ? 200 : status, text }
      },
      'token session host external',
    ],
    ['an account, by a lock', change({ locked: true }), ''],
    ['an account that is disabled', change({ active: false }), ''],
    ['an account with another role', change({ roles: ['EDITOR'] }), 'session host external'],
    ['an account with a new password', change({ password: 'melons nobody sails' }), 'external'],
    [
      'an account with a new password of its own',
      (made) => {
        const json = { current_password: made.who.password, new_password: 'melons nobody sails' }
        const headers = one.basic(made.who)
        return one.call('PUT', '/api/account/password', { headers, json })
      },
      'external',
    ],
    ['an account that is deleted', (made) => one.call('DELETE', account(made), byAdmin), ''],
    [
      'a user that is deleted',
      ({ who }) => one.call('DELETE', `/users/${who.userId}`, byAdmin),
      '',
    ],
    [
      'an account with a second factor',
      async ({ who }) => {
        await enrol(one, one.basic(who))
        return done
      },
      '',
    ],
    [
      'an account whose second factor is removed',
      (made) => one.call('DELETE', `${account(made)}/second-factor`, byAdmin),
      'external',
    ],
    [
      'a session of the list',
      async (made) => {
        const headers = one.basic(made.who)
        const { body } = await one.call('GET', '/api/account/sessions', { headers })
        return one.call('DELETE', `/api/account/sessions/${body[0].id}`, { headers })
      },
      'token pair external',
    ],
    [
      'all of an account, by its owner',
      ({ who }) => one.call('DELETE', '/api/account/sessions', { headers: one.basic(who) }),
      'external',
    ],
    [
      'all of an account, by an administrator',
      (made) => one.call('DELETE', `${account(made)}/sessions`, byAdmin),
      'external',
    ],
    [
      'the longest idle session above the limit',
      async ({ who }) => {
        clock.advance(1)
        await one.session(who)
        const { username, password } = who
        return one.call('POST', '/login', { form: { username, password, mode: 'session' } })
      },
      'token pair external',
    ],
    [
      'a session, by another login of its browser',
      ({ who: { username, password }, session: { cookie = '' } }) =>
        one.call('POST', '/login', {
          headers: { cookie },
          form: { username, password, mode: 'session' },
        }),
      'token pair external',
    ],
    [
      'a session at an application, by a newer one',
      async ({ session }) => {
        await atHost(session)
        return done
      },
      'token pair session external',
    ],
    [
      'an identity that is unlinked',
      async (made) => {
        const [identity] = await identities.of(made.who.userId)
        return one.call('DELETE', `${account(made)}/identities/${identity?.id}`, byAdmin)
      },
      'token pair session host',
    ],
    [
      'a key that is retired',
      async (made) => {
        const json = { at_once: true }
        await one.call('POST', '/api/admin/keys/rotate', { ...byAdmin, json })
        clock.advance(3)
        return one.call('POST', `/api/admin/keys/${kidOf(made)}/retire`, byAdmin)
      },
      'session host external',
    ],
  ]

  for (const [what, end, left] of kinds) test(what, () => assertEnded(nodes, { what, end, left }))
})
