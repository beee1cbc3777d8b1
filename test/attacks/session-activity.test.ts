// A database makes a difference: many sessions are written by one statement.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'

suite('the activity of a session', async () => {
  const app = await testApp()

  test('is not lost where a request comes while earlier activity is written down', async () => {
    const headers = await app.session(app.admin)
    const asked = async () => (await app.call('GET', '/api/session', { headers })).status
    const flush = app.app.jobs.find(({ name }) => name === 'session activity')
    assert.ok(flush)
    app.clock.advance(60)
    assert.equal(await asked(), 200)
    let flushing: Promise<unknown> | undefined
    // Another change of the row: the writing waits for its end.
    await app.deps.db.transaction().execute(async (trx) => {
      await trx.updateTable('sessions').set({ address: 'held' }).execute()
      flushing = flush.run()
      app.clock.advance(1000)
      assert.equal(await asked(), 200)
    })
    await flushing
    app.clock.advance(1799) // idle for less than 30 minutes since that request alone
    assert.equal(await asked(), 200)
    const at = app.clock.now()
    await flush.run()
    assert.deepEqual(
      (await app.deps.db.selectFrom('sessions').select('last_seen_at').execute()).map(
        ({ last_seen_at }) => last_seen_at,
      ),
      [at],
    )
  })

  test('is shown with the first 256 characters of a user agent, however long it is', async () => {
    const who = await app.account('ann')
    const { username, password } = who
    const agent = `Agent/1.0 ${'x'.repeat(5000)}`
    const login = await app.call('POST', '/login', {
      form: { username, password, mode: 'session' },
      headers: { 'user-agent': agent },
    })
    assert.equal(login.status, 200)
    const headers = { cookie: `JSESSIONID=${login.cookies.JSESSIONID}` }
    const { body } = await app.call('GET', '/api/account/sessions', { headers })
    assert.deepEqual(
      body.map(({ user_agent }: { user_agent: string }) => user_agent),
      [agent.slice(0, 256)],
    )
    const stored = app.deps.db.selectFrom('sessions').select('user_agent')
    const row = await stored.where('user_id', '=', who.userId).executeTakeFirstOrThrow()
    assert.equal(row.user_agent, agent.slice(0, 256))
  })
})
