// A database makes a difference: rows of the outbox say whose mail a file is.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { type TestApp, testApp } from '../app.ts'
import { addMail, emailOf, servicesOf, verifyAddress } from '../mail.ts'
import { assertRefusal } from '../refusal.ts'

const ann = 'ann@example.org'

async function developing() {
  const app = await testApp({ NODE_ENV: 'development' })
  const services = await servicesOf(app)
  const folder = join(app.directory, 'mail')
  const send = () => services.mailer.run()
  const signUp = (address: string) =>
    addMail(app, services, {
      message: 'sign_up_exists',
      to: { address: emailOf(address) },
      facts: { username: 'x' },
      language: 'en',
    })
  const notify = (userId: number, to?: string) =>
    addMail(app, services, {
      message: 'email_changed',
      to: { userId, ...(to !== undefined && { address: emailOf(to) }) },
      facts: { username: 'someone', newAddress: null },
      language: 'en',
    })
  /** To whom the files are. */
  const recipients = () =>
    (existsSync(folder) ? readdirSync(folder) : [])
      .map((file) => /^To: <?([^\r<>]+)/m.exec(readFileSync(join(folder, file), 'utf8'))?.[1])
      .toSorted()
  return { app, services, folder, send, signUp, notify, recipients }
}

const remove = async (app: TestApp, userId: number) =>
  app.call('DELETE', `/users/${userId}`, { headers: await app.bearer(app.admin) })

suite('the mail of development of an erased person', () => {
  test('is removed, to present and former addresses; that of others stays', async () => {
    const { app, send, signUp, notify, recipients, folder } = await developing()
    const gone = await app.account('ann')
    const bob = await app.account('bob')
    await signUp('former@example.org')
    await signUp(ann)
    await signUp('bob@example.org')
    await signUp('nobody@example.org')
    await send()
    await verifyAddress(app, gone, ann)
    await verifyAddress(app, bob, 'bob@example.org')
    await notify(gone.userId, 'former@example.org')
    await notify(gone.userId)
    await notify(bob.userId)
    await send()
    writeFileSync(join(folder, 'notes.eml'), 'no mail at all')
    writeFileSync(join(folder, 'old.eml'), `From: a@b.example\r\nTo: ${ann}\r\n\r\nHello ann`)
    const ofOthers = ['bob@example.org', 'bob@example.org', 'nobody@example.org', undefined]
    const before = recipients()
    assert.equal(before.length, ofOthers.length + 5)
    const refused = await app.call('DELETE', `/users/${gone.userId}`, {
      headers: await app.bearer(bob),
    })
    assertRefusal(refused, 403, 'Access denied')
    assert.deepEqual(recipients(), before)
    assert.equal((await remove(app, gone.userId)).status, 200)
    assert.deepEqual(recipients(), ofOthers)
  })

  test('of an erasure that is refused stays', async () => {
    const { app, send, notify, recipients } = await developing()
    await verifyAddress(app, app.admin, 'keeper@example.org')
    await notify(app.admin.userId)
    await send()
    assert.equal((await remove(app, app.admin.userId)).status, 409)
    assert.deepEqual(recipients(), ['keeper@example.org'])
  })

  test('to an address that another user has stays, unless a row says that it is of the person', async () => {
    const { app, send, signUp, notify, recipients } = await developing()
    const gone = await app.account('ann')
    const bob = await app.account('bob')
    await app.deps.db
      .updateTable('users')
      .set({ email: 'shared@example.org', email_key: 'shared@example.org' })
      .where('id', '=', gone.userId)
      .execute()
    await verifyAddress(app, bob, 'shared@example.org')
    await signUp('shared@example.org')
    await notify(bob.userId)
    await notify(gone.userId, 'shared@example.org')
    await send()
    assert.equal(recipients().length, 3)
    await remove(app, gone.userId)
    assert.equal(recipients().length, 2)
  })

  test('that a worker writes during the erasure, and the last mail, go some minutes later', async () => {
    const { app, services, folder, signUp, send, recipients } = await developing()
    const { db } = app.deps
    const gone = await app.account('ann')
    await verifyAddress(app, gone, ann)
    const late = await addMail(app, services, {
      message: 'email_changed',
      to: { userId: gone.userId },
      facts: { username: 'ann', newAddress: null },
      language: 'en',
    })
    await signUp('bob@example.org')
    await remove(app, gone.userId)
    const [row] = await db.selectFrom('mails').select('state').where('id', '=', late).execute()
    assert.equal(row?.state, 'cancelled')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `2026-01-15T12-00-00-000Z-${late}.eml`), `To: ${ann}\r\n\r\nx`)
    await addMail(app, services, {
      message: 'account_deleted',
      to: { address: emailOf(ann) },
      facts: { username: 'ann' },
      language: 'en',
    })
    await send()
    assert.deepEqual(recipients(), [ann, ann, 'bob@example.org'])
    app.clock.advance(601)
    await app.app.jobs.find(({ name }) => name === 'erasures')?.run()
    assert.deepEqual(recipients(), ['bob@example.org'])
  })

  test('that cannot be removed is told, and the erasure stands', async () => {
    const { app, services, folder } = await developing()
    const gone = await app.account('ann')
    await verifyAddress(app, gone, ann)
    const id = await addMail(app, services, {
      message: 'email_changed',
      to: { userId: gone.userId },
      facts: { username: 'ann', newAddress: null },
      language: 'en',
    })
    const file = `2026-01-15T12-00-00-000Z-${id}.eml`
    mkdirSync(join(folder, file), { recursive: true }) // a folder is not removed
    assert.equal((await remove(app, gone.userId)).status, 200)
    assert.deepEqual(readdirSync(folder), [file])
    const [told] = app.log.filter(({ level, file }) => level === 'warn' && file !== undefined)
    assert.equal(told?.msg, 'a mail of an erased person could not be removed')
    assert.doesNotMatch(JSON.stringify(told), /ann@/)
  })
})
