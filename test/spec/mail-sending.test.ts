// A database makes a difference: workers lease rows in statements that run at once.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { transact } from '../../src/core/database/transactions.ts'
import type { Username } from '../../src/core/lib/username.ts'
import type { Services } from '../../src/core/module/services.ts'
import type { NewMail } from '../../src/extras/mail/outbox.ts'
import { mailStore } from '../../src/extras/mail/queue.ts'
import type { Someone, TestApp } from '../app.ts'
import { testApp } from '../app.ts'
import { recordsAfter } from '../audit.ts'
import { addMail, emailOf, mailerOf, mailRows, servicesOf, verifyAddress } from '../mail.ts'
import { type RelayOptions, startRelay } from '../relay.ts'

async function mailApp(options: RelayOptions = {}, env: Record<string, string> = {}) {
  const relay = await startRelay(options)
  const app = await testApp({ ...relay.env, ...env })
  const services = await servicesOf(app)
  const mailer = mailerOf(app, services)
  const add = (to: string, more: Partial<NewMail<'test'>> = {}) =>
    addMail(app, services, {
      message: 'test',
      to: { address: emailOf(to) },
      facts: { at: app.clock.now() },
      language: 'en',
      ...more,
    })
  const row = async (id: string) => {
    const found = (await mailRows(app)).find((mail) => mail.id === id)
    assert.ok(found)
    return found
  }
  return { app, services, mailer, relay, add, row }
}

async function begunReset(app: TestApp, services: Services, ann: Someone) {
  const account = await services.accounts.byUsername(ann.username as Username)
  return transact(app.deps.db, [], (trx) =>
    services.confirmations.begin(trx, {
      purpose: 'reset',
      asked: 'ann@example.org',
      userId: ann.userId,
      address: emailOf('ann@example.org'),
      version: account?.refreshVersion ?? -1,
      flow: null,
      language: 'en',
    }),
  )
}

async function resetMail(app: TestApp, services: Services, ann: Someone) {
  const begun = await begunReset(app, services, ann)
  return transact(app.deps.db, [], async (trx) => {
    const mail = await services.outbox.add(trx, {
      message: 'reset',
      to: { userId: ann.userId },
      ...begun.mail,
      facts: { username: 'ann' },
      language: 'en',
    })
    return { id: begun.mail.confirmation, flow: begun.mail.flow, mail }
  })
}

suite('a mail that is sent', async () => {
  const { app, services, mailer, relay, add, row } = await mailApp({
    user: { name: 'gate', password: 'pass word: 1' },
  })
  const ann = await app.account('ann')
  await verifyAddress(app, ann, 'ann@example.org')

  test('is text and HTML for one recipient, and says that no person wrote it', async () => {
    const id = await add('Ann.Smith@example.org')
    await mailer.run()
    const [mail, ...more] = relay.mails.splice(0)
    assert.ok(mail)
    assert.deepEqual(more, [])
    assert.deepEqual(
      [mail.from, mail.to, mail.isSecure, mail.user],
      ['no-reply@id.example.org', ['Ann.Smith@example.org'], true, 'gate'],
    )
    const { message } = mail
    assert.deepEqual(message.from, { name: 'Example', address: 'no-reply@id.example.org' })
    assert.deepEqual(message.to, [{ name: '', address: 'Ann.Smith@example.org' }])
    assert.equal(message.messageId, `<${id}@id.example.org>`)
    assert.equal(message.date, new Date(app.clock.now()).toISOString())
    assert.ok(message.text && message.html)
    const names = message.headers.map(({ key }) => key)
    assert.deepEqual(names.toSorted(), [
      'auto-submitted',
      'content-language',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ])
    const header = (name: string) => message.headers.find(({ key }) => key === name)?.value
    assert.equal(header('auto-submitted'), 'auto-generated')
    assert.deepEqual(message.attachments, [])
    assert.doesNotMatch(message.html, /<img|url\(/)
  })

  test('leaves a row without address and facts, and a record', async () => {
    const id = await add('ann@example.org')
    await mailer.run()
    relay.mails.length = 0
    const { state, sealed, response, attempts, finished_at, locked_by } = await row(id)
    assert.deepEqual(
      { state, sealed, response, attempts, finished_at, locked_by },
      {
        state: 'sent',
        sealed: null,
        response: '250 2.0.0 Ok: queued',
        attempts: 1,
        finished_at: app.clock.now(),
        locked_by: null,
      },
    )
    const last = (await recordsAfter(app.deps, 0)).findLast(({ type }) => type === 'mail_sent')
    assert.deepEqual(last?.target, { mail: id, message: 'test', user_id: null })
  })

  test('has a link and a code that are made when it is sent, and open the confirmation', async () => {
    const { id, flow } = await resetMail(app, services, ann)
    // Another flow asks before it is sent, and does not replace its code.
    await begunReset(app, services, ann)
    await mailer.run()
    const [mail] = relay.mails.splice(0)
    assert.deepEqual(mail?.to, ['ann@example.org'])
    const secrets = await services.confirmations.secretsOf(id, flow)
    assert.ok(secrets)
    const { text = '', html = '' } = mail?.message ?? {}
    const link = `${app.deps.config.baseUrl}/reset?token=${secrets.token}`
    assert.ok(text.includes(link))
    assert.ok(html.includes(link))
    assert.ok(text.replaceAll(/(?<=\d)[ -](?=\d)/g, '').includes(secrets.code))
    const dump = JSON.stringify(await app.rows())
    assert.ok(!dump.includes(secrets.token) && !dump.includes(secrets.code))
  })

  test('is not sent if its confirmation was used or withdrawn meanwhile', async () => {
    app.clock.advance(3600)
    const { mail } = await resetMail(app, services, ann)
    await transact(app.deps.db, [], (trx) => services.confirmations.cancelAll(trx, ann.userId))
    await mailer.run()
    assert.deepEqual(relay.mails, [])
    const { state, sealed } = await row(mail)
    assert.deepEqual([state, sealed], ['cancelled', null])
  })
})

suite('workers', async () => {
  test('two never hold one row, and each mail is sent once', async () => {
    const { app, services, mailer, relay, add } = await mailApp()
    const other = mailerOf(app, services)
    const wanted = Array.from({ length: 30 }, (_, index) => `p${index}@example.org`)
    for (const address of wanted) await add(address)
    await Promise.all([mailer.run(), other.run()])
    const sent = relay.mails.map(({ to }) => to[0])
    assert.deepEqual(sent.toSorted(), wanted.toSorted())
    assert.ok(relay.connections() < 30, 'a connection takes several mails')
  })

  test('a row whose worker is gone is taken again after its lease, as the same mail', async () => {
    const { app, services, mailer, relay, add, row } = await mailApp()
    const id = await add('ann@example.org')
    const lost = mailerOf(app, services, {
      // As one that is killed between the answer and the commit.
      events: { ...app.deps.events, emitInTransaction: () => Promise.reject(new Error('killed')) },
    })
    await assert.rejects(lost.run(), /killed/)
    assert.equal((await row(id)).state, 'sending')
    await mailer.run()
    assert.equal(relay.mails.length, 1)
    app.clock.advance(240)
    await mailer.run()
    assert.deepEqual(
      relay.mails.map(({ message }) => message.messageId),
      [`<${id}@id.example.org>`, `<${id}@id.example.org>`],
    )
    assert.equal(relay.mails[0]?.raw.split('\r\n\r\n')[0], relay.mails[1]?.raw.split('\r\n\r\n')[0])
    assert.equal((await row(id)).state, 'sent')
  })

  test('of an account that goes, nothing is sent any more, and no row keeps its address', async () => {
    const { app, services, mailer, relay, row } = await mailApp()
    for (const path of ['users', 'admin accounts'] as const) {
      const gone = await app.account(`gone ${path.length}`.replace(' ', '-'))
      await verifyAddress(app, gone, `${gone.username}@example.org`)
      const { userId } = gone
      const tell = () =>
        addMail(app, services, {
          message: 'password_changed',
          to: { userId },
          facts: { username: gone.username },
          language: 'en',
        })
      const [waiting, underWay, failed] = [await tell(), await tell(), await tell()]
      const now = app.clock.now()
      const store = mailStore(app.deps.db)
      const leased = await store.lease({ owner: 'other', now, id: underWay })
      assert.ok(leased)
      await app.deps.db
        .updateTable('mails')
        .set({ state: 'failed' })
        .where('id', '=', failed)
        .execute()
      const headers = app.basic(app.admin)
      const url = path === 'users' ? `/users/${userId}` : `/api/admin/accounts/${gone.username}`
      const answer = await app.call('DELETE', url, { headers })
      assert.ok(answer.status < 300, answer.text)
      assert.equal(await store.end(leased, { state: 'sent', response: '250 OK' }), false)
      await mailer.run()
      const states = await Promise.all([waiting, underWay, failed].map(row))
      assert.deepEqual(
        states.map(({ state, sealed }) => [state, sealed]),
        [
          ['cancelled', null],
          ['cancelled', null],
          ['failed', null],
        ],
      )
      assert.deepEqual(relay.mails, [])
    }
  })

  test('the most urgent mail goes first, and of equal ones that which is due first', async () => {
    const { app, add } = await mailApp()
    const wanted = new Map<string, string>()
    for (const [name, priority] of [
      ['late', 50],
      ['second', 10],
      ['third', 10],
      ['first', 0],
    ] as const) {
      wanted.set(await add(`${name}@example.org`, { priority }), name)
      app.clock.advance(1)
    }
    const now = app.clock.now()
    const order = []
    for (;;) {
      const row = await mailStore(app.deps.db).lease({ owner: 'one', now })
      if (!row) break
      order.push(wanted.get(row.id))
    }
    assert.deepEqual(order, ['first', 'second', 'third', 'late'])
  })

  test('more than MAIL_PER_MINUTE wait, and notices do not', async () => {
    const { app, services, mailer, relay, add } = await mailApp({}, { MAIL_PER_MINUTE: '2' })
    const dan = await app.account('dan')
    await resetMails(app, services, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
    for (let turn = 0; turn < 4; turn += 1) await mailer.run()
    const first = relay.mails.splice(0).length
    assert.ok(first >= 2 && first <= 2 + 4, `${first} in the first minute`) // four at once may pass
    await add('notice@example.org')
    await mailer.run()
    assert.deepEqual(
      relay.mails.splice(0).map(({ to }) => to),
      [['notice@example.org']],
    )
    for (let minute = 0; minute < 5; minute += 1) {
      app.clock.advance(61)
      await mailer.run()
    }
    assert.equal(first + relay.mails.length, 8)
    assert.ok(dan)
  })

  test('a row that cannot be opened or written fails, and those behind it are sent', async () => {
    const { app, mailer, relay, add, row } = await mailApp()
    const damaged = await add('a@example.org', { priority: 0 })
    const unwritable = await add('b@example.org', { priority: 0 })
    const good = await add('c@example.org', { priority: 5 })
    const { db } = app.deps
    await db.updateTable('mails').set({ sealed: 'AAAA' }).where('id', '=', damaged).execute()
    await db.updateTable('mails').set({ message: 'none' }).where('id', '=', unwritable).execute()
    await mailer.run()
    assert.equal((await row(damaged)).state, 'failed')
    assert.equal((await row(unwritable)).state, 'waiting')
    assert.equal((await row(good)).state, 'sent')
    assert.deepEqual(
      relay.mails.map(({ to }) => to),
      [['c@example.org']],
    )
  })

  test('rows are kept for 30 days', async () => {
    const { app, mailer, add } = await mailApp()
    await add('a@example.org')
    await mailer.run()
    app.clock.advance(30 * 86_400 - 1)
    assert.equal(await mailer.purge(100), 0)
    app.clock.advance(1)
    assert.equal(await mailer.purge(100), 1)
    assert.deepEqual(await mailRows(app), [])
  })
})

async function resetMails(app: TestApp, services: Services, names: readonly string[]) {
  for (const name of names) {
    await addMail(app, services, {
      message: 'sign_up_exists',
      to: { address: emailOf(`${name}@example.org`) },
      facts: { username: name },
      language: 'de',
    })
  }
}
