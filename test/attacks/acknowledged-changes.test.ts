// A database makes a difference: two processes share it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import { testDatabase } from '../database.ts'
import { everyCredential, type Made, twoNodes } from '../two-nodes.ts'
import { until } from '../until.ts'
import { runJob } from '../webhook-sending.ts'

suite('what changes at one node shows at the other in the next request', async () => {
  const { one, two, clock, env, byAdmin, make } = await twoNodes()

  /** What the other node tells of an account. */
  const shown = async ({ uses: { session: atHome, host: atHost, pair: byToken } }: Made) => {
    const [session, host, pair] = [await atHome(), await atHost(), await byToken()]
    return {
      roles: session.body.roles,
      groups: host.headers['remote-groups'],
      address: host.headers['remote-email'],
      name: pair.body.name,
    }
  }

  /** Changes that end no session, and what the other node then tells. */
  const changes: readonly (readonly [string, (made: Made) => Promise<unknown>, object])[] = [
    [
      'roles',
      ({ who }) =>
        one.call('PUT', `/api/admin/accounts/${who.username}`, {
          ...byAdmin,
          json: { roles: ['USER', 'EDITOR'] },
        }),
      { roles: ['USER', 'EDITOR'], groups: 'USER,EDITOR', name: undefined },
    ],
    [
      'a name',
      ({ who }) => one.call('PUT', `/users/${who.userId}`, { ...byAdmin, json: { name: 'Bo' } }),
      { name: 'Bo' },
    ],
    [
      'a verified address',
      ({ who }) =>
        one.deps.db
          .updateTable('accounts')
          .set({ verified_email: 'bo@example.org', verified_email_key: 'bo@example.org' })
          .where('user_id', '=', who.userId)
          .execute(),
      { address: 'bo@example.org' },
    ],
  ]

  for (const [what, work, told] of changes) {
    test(`${what}: told by the other when the change is answered`, async () => {
      const made = await make()
      if (testDatabase === 'postgres') await until(() => two.deps.feed.isCurrent())
      await shown(made)
      const before = await shown(made)
      await work(made)
      assert.deepEqual(await shown(made), { ...before, ...told })
    })
  }

  test('a password that must be changed', async () => {
    const made = await make()
    assert.equal(await made.accepted(), everyCredential)
    const { userId } = made.who
    const due = one.deps.db.updateTable('passwords').set({ must_change: 1 })
    await due.where('account', '=', userId).execute()
    assert.equal(await made.accepted(), 'token pair session host')
  })

  test('a session that another node has purged, though this one thinks that it lives', async () => {
    const late = fixedClock(new Date(clock.now()).toISOString())
    const third = await testApp(env, { directory: one.directory, clock: late })
    const made = await make()
    assert.equal(await made.accepted(), everyCredential)
    if (testDatabase === 'postgres') await until(() => third.deps.feed.isCurrent())
    late.advance(1811)
    await runJob(third, 'ended sessions')
    assert.equal(await made.accepted(), 'token pair external')
    await third.close()
  })
})
