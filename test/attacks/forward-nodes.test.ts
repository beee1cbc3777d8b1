// A database makes a difference: two processes share it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { digest } from '../../src/core/crypto/digest.ts'
import { createServiceMaker } from '../../src/core/module/make.ts'
import { soleProcess } from '../../src/core/workers/workers.ts'
import { modules } from '../../src/modules.ts'
import { type Headers, testApp } from '../app.ts'
import { askForward, proxied } from '../forward.ts'
import { forwardFile, writeForward } from '../forward-file.ts'
import { linkedWorkers } from '../linked-workers.ts'

const rules = [{ hosts: ['wiki.example.org', 'id.example.org'], policy: 'one_factor' }]

for (const kind of ['nodes', 'workers'] as const) {
  suite(`forward authentication: two ${kind} on one database`, async () => {
    const file = forwardFile(rules)
    const env = { ...proxied, FORWARD_AUTH_FILE: file }
    const [first, second] = kind === 'workers' ? linkedWorkers(2) : []
    const one = await testApp(env, { deps: { ...(first && { workers: first }) } })
    const two = await testApp(env, {
      directory: one.directory,
      clock: one.clock,
      deps: { ...(second && { workers: second }) },
    })
    // Not of a worker, which would answer the others in its place.
    const { hostSessions } = await (
      await createServiceMaker({ ...one.deps, workers: soleProcess }, { modules })
    ).all()
    const admin = await one.bearer(one.admin)

    /** The headers of a session at its own host, and of one at the host of an application. */
    async function sessions(name: string) {
      const session = await one.session(await one.account(name))
      const origin = 'https://wiki.example.org'
      const browser = 'b'.repeat(43)
      const id = digest(session.cookie.split('=')[1] ?? '')
      const handed = { origin, browser: digest(browser), returnTo: `${origin}/` }
      const ticket = await hostSessions.issueTicket(id, handed)
      const redeemed = await hostSessions.redeem(ticket, { origin, browser })
      if ('refused' in redeemed) throw new Error(redeemed.refused.code)
      const atHost: Headers = { cookie: `__Host-gatehouse=${redeemed.secret}` }
      return { session, atHome: { cookie: session.cookie }, atHost }
    }
    const asked = (headers: Headers, host = 'wiki.example.org') => ({ host, headers })

    test('what ends at one counts at the next request of the other', async () => {
      for (const [name, end] of [
        ['sign-out', (session: Headers) => one.call('POST', '/logout', { headers: session })],
        [
          'lock',
          () =>
            one.call('PUT', '/api/admin/accounts/lock', { headers: admin, json: { locked: true } }),
        ],
      ] as const) {
        const { session, atHome, atHost } = await sessions(name)
        for (const app of [one, two, two]) {
          assert.equal((await askForward(app, asked(atHome, 'id.example.org'))).status, 200)
          assert.equal((await askForward(app, asked(atHost))).status, 200)
        }
        assert.equal((await end(session)).status, 200)
        for (const app of [two, one]) {
          assert.equal((await askForward(app, asked(atHome, 'id.example.org'))).status, 401)
          assert.equal((await askForward(app, asked(atHost))).status, 401)
        }
      }
    })

    test('a bearer token that ends at one has ended at both', async () => {
      const headers = await one.bearer(await one.account('bea'))
      for (const app of [one, two]) assert.equal((await askForward(app, { headers })).status, 200)
      await one.call('POST', '/logout', { headers })
      assert.equal((await askForward(one, { headers })).status, 401)
      assert.equal((await askForward(two, { headers })).status, 401)
    })

    test('activity at an application keeps the session, wherever it is asked next', async () => {
      const { atHome, atHost } = await sessions('max')
      one.clock.advance(1500)
      assert.equal((await askForward(one, asked(atHost))).status, 200)
      await one.app.jobs.find(({ name }) => name === 'session activity')?.run()
      one.clock.advance(1500)
      assert.equal((await askForward(two, asked(atHome, 'id.example.org'))).status, 200)
      one.clock.advance(1800)
      for (const app of [two, one]) {
        assert.equal((await askForward(app, asked(atHost))).status, 401)
      }
    })

    test('each takes up a changed file, and the answers of all are in the metrics', async () => {
      const open = { uri: '/open/' }
      assert.equal((await askForward(two, open)).status, 401)
      const [rule] = rules
      writeForward(file, [{ ...rule, policy: 'bypass' }])
      for (const app of [one, two]) {
        await app.app.jobs.find(({ name }) => name === 'forward file')?.run()
        assert.equal((await askForward(app, open)).status, 200)
      }
      if (kind === 'nodes') return // each has metrics of its own
      const { text } = await one.call('GET', '/metrics', { headers: one.basic(one.admin) })
      assert.match(text, /^gatehouse_forward_decisions_total\{answer="bypass"\} 2$/m)
    })
  })
}
