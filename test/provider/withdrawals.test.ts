// A database makes a difference: a withdrawal waits for a request that holds the consent.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { withdraw } from '../../src/extras/provider/access.ts'
import { artifactStore } from '../../src/extras/provider/store.ts'
import { testDatabase } from '../database.ts'
import { assertPage } from '../refusal.ts'
import { until } from '../until.ts'
import { interruptedReads } from '../watched-database.ts'
import {
  allow,
  application,
  errorOf,
  open,
  providerApp,
  redeem,
  relyingParty,
  request,
  settle,
  signedIn,
} from './application.ts'

suite('an access that is withdrawn while the application asks for it', async () => {
  const reads = await interruptedReads('provider_consents')
  const app = await providerApp([application('notes')], {}, reads.options)
  const rp = await relyingParty(app, 'notes')
  const headers = await app.bearer(app.admin)
  let made = 0
  const newPerson = () => {
    made += 1
    return app.account(`person${made}`)
  }
  const applicationsOf = (name: string) => `/api/admin/accounts/${name}/applications`
  const withdrawOf = async (name: string) => {
    const answer = await app.call('DELETE', `${applicationsOf(name)}/notes`, { headers })
    assert.equal(answer.status, 200, answer.text)
  }
  const left = async (name: string) =>
    (await app.call('GET', applicationsOf(name), { headers })).body
  const wider = { scope: 'openid profile email' }

  for (const [what, first, second] of [
    ['the same access', wider, wider],
    ['less', wider, { scope: 'openid' }],
  ] as const) {
    test(`by a request for ${what}: it fails, and nothing comes back`, async () => {
      const who = await newPerson()
      const { browser } = await signedIn(app, rp, who, first)
      const asked = await request(rp, second)
      reads.atNextRead(() => withdrawOf(who.username))
      assert.equal(await open(browser, asked.address), null)
      assert.equal(reads.isWaiting(), false)
      assertPage(browser.page(), 400, 'This sign-in cannot be finished')
      assert.deepEqual(await left(who.username), [])
    })
  }

  test('by a first request of another browser', async () => {
    const who = await newPerson()
    await signedIn(app, rp, who, wider)
    reads.atNextRead(() => withdrawOf(who.username))
    await assert.rejects(signedIn(app, rp, who, wider))
    assert.equal(reads.isWaiting(), false)
    assert.deepEqual(await left(who.username), [])
  })

  test('after the consent and before the answer: the person is asked again', async () => {
    const who = await newPerson()
    const { browser } = await signedIn(app, rp, who, { scope: 'openid' })
    const asked = await request(rp, wider)
    assert.equal(await open(browser, asked.address), null)
    await browser.submit({}, 'value="allow"')
    await withdrawOf(who.username)
    assert.equal(await settle(browser), null)
    assert.match(browser.path(), /^\/oauth\/interaction\//)
    const at = await allow(browser)
    assert.equal(await errorOf(redeem(rp, asked, at)), 'no error')
  })
})

suite('an access that is withdrawn while a refresh commits', async () => {
  const app = await providerApp([application('notes')])
  const rp = await relyingParty(app, 'notes')
  const { db } = app.deps

  test('what the refresh stores ends, too', { skip: testDatabase !== 'postgres' }, async () => {
    const who = await app.account('ann')
    await signedIn(app, rp, who)
    const rows = await db.selectFrom('provider_artifacts').selectAll().execute()
    const token = rows.find(({ kind }) => kind === 'RefreshToken')
    assert.ok(token)
    const added = { ...token, id: 'added', kind: 'AccessToken' }
    let withdrawal: Promise<boolean> | undefined
    await db.transaction().execute(async (trx) => {
      await artifactStore(trx).consume(token.id, { now: app.clock.now(), since: 0 })
      withdrawal = withdraw(app.deps, { client: 'notes', userId: who.userId })
      await until(async () => (await waiting()) > 0)
      await trx.insertInto('provider_artifacts').values(added).execute()
    })
    assert.equal(await withdrawal, true)
    const left = await db.selectFrom('provider_artifacts').select('kind').execute()
    assert.deepEqual(
      left.filter(({ kind }) => kind !== 'Session'),
      [],
    )
  })

  async function waiting(): Promise<number> {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return rows.length
  }
})
