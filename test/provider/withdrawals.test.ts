// A database makes a difference: a withdrawal waits for a request that holds the consent.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DatabaseOrTransaction } from '../../src/core/database/database.ts'
import { removeClientAccess, withdraw } from '../../src/extras/provider/access.ts'
import { consentStore } from '../../src/extras/provider/consents.ts'
import { artifactStore } from '../../src/extras/provider/store.ts'
import { testDatabase } from '../database.ts'
import { assertPage } from '../refusal.ts'
import { until } from '../until.ts'
import { waitingForLocks } from '../waiting-locks.ts'
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

const onPostgres = { skip: testDatabase !== 'postgres' }

suite('an access that ends while a request commits', async () => {
  const app = await providerApp([application('notes')])
  const rp = await relyingParty(app, 'notes')
  const { db } = app.deps
  const of = { client: 'notes', scopes: ['openid'] }

  /** Runs what waits for a transaction that has done the work, and answers what it comes to. */
  async function whileOpen<T>(
    work: (trx: DatabaseOrTransaction) => Promise<unknown>,
    after: () => Promise<T>,
    last: (trx: DatabaseOrTransaction) => Promise<unknown> = async () => {},
  ): Promise<T> {
    let waiting: Promise<T> | undefined
    await db.transaction().execute(async (trx) => {
      await work(trx)
      waiting = after()
      await until(async () => (await waitingForLocks(db)) > 0)
      await last(trx)
    })
    assert.ok(waiting)
    return waiting
  }

  async function newAccess(name: string) {
    const { userId } = await app.account(name)
    await consentStore(db).give(userId, of.client, of.scopes, app.clock.now())
    return userId
  }

  const grantOf = (userId: number) => ({
    ...{ id: `grant of ${userId}`, kind: 'Grant', client: of.client, userId, sessionId: null },
    ...{ grantId: null, uid: null, address: '', sealed: '', expiresAt: app.clock.now() + 1000 },
  })
  const left = (userId: number) =>
    db
      .selectFrom('provider_artifacts')
      .select('kind')
      .where('user_id', '=', userId)
      .where('kind', '!=', 'Session')
      .execute()

  test('what a refresh stores ends, too', onPostgres, async () => {
    const who = await app.account('ann')
    await signedIn(app, rp, who)
    const rows = await db.selectFrom('provider_artifacts').selectAll().execute()
    const token = rows.find(({ kind }) => kind === 'RefreshToken')
    assert.ok(token)
    const isWithdrawn = await whileOpen(
      (trx) => artifactStore(trx).consume(token.id, { now: app.clock.now(), since: 0 }),
      () => withdraw(app.deps, { client: 'notes', userId: who.userId }),
      (trx) =>
        trx
          .insertInto('provider_artifacts')
          .values({ ...token, id: 'added', kind: 'AccessToken' })
          .execute(),
    )
    assert.equal(isWithdrawn, true)
    assert.deepEqual(await left(who.userId), [])
  })

  test('a grant that is stored while the client is removed ends, too', onPostgres, async () => {
    const userId = await newAccess('bob')
    const consents = await whileOpen(
      async (trx) => {
        assert.equal(await consentStore(trx).has({ userId, ...of }), true)
      },
      () => db.transaction().execute((trx) => removeClientAccess(trx, of.client)),
      (trx) => artifactStore(trx).insert(grantOf(userId)),
    )
    assert.equal(consents, 1)
    assert.deepEqual(await left(userId), [])
  })

  test('two tabs that allow different scopes at once: both count', onPostgres, async () => {
    const userId = await newAccess('cay')
    const give = (trx: DatabaseOrTransaction, scope: string) =>
      consentStore(trx).give(userId, of.client, [scope], app.clock.now())
    await whileOpen(
      (trx) => give(trx, 'email'),
      () => db.transaction().execute((trx) => give(trx, 'profile')),
    )
    const scopes = await consentStore(db).scopesOf(userId, of.client)
    assert.deepEqual(scopes.toSorted(), ['email', 'openid', 'profile'])
  })
})
