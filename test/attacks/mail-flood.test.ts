// A database makes a difference: workers lease and count rows of the outbox in statements that run at once.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Insertable } from 'kysely'
import type { Schema } from '../../src/core/database/schema.ts'
import { type MessageName, messageTypes } from '../../src/extras/mail/message-types.ts'
import { dueOfNew } from '../../src/extras/mail/queue.ts'
import { createSealedMail } from '../../src/extras/mail/sealed-mail.ts'
import { type TestApp, testApp } from '../app.ts'
import { recordsAfter } from '../audit.ts'
import { newHost } from '../logins.ts'
import { mailerOf, mailRows, servicesOf, verifyAddress } from '../mail.ts'
import { startRelay } from '../relay.ts'

const minute = 60
const perMinute = 120
/** So many mails of a process are under way at once, and count when they are sent. */
const lanes = 4
/** The confirmation of all mails of a flood. */
const flood = 'flood'
let queued = 0

async function mailApp(env: Record<string, string> = {}) {
  const relay = await startRelay()
  const app = await testApp({ ...relay.env, SIGN_UP: 'open', ...env })
  const services = await servicesOf(app)
  const { confirmations, keys } = services
  const mailer = mailerOf(app, services, {
    confirmations: {
      async secretsOf(id, flow) {
        if (id !== flood) return confirmations.secretsOf(id, flow)
        return { token: 'token', code: '12345678', expiresAt: app.clock.now() + 1_800_000 }
      },
    },
  })
  return { app, relay, mailer, keys }
}

type MailApp = Awaited<ReturnType<typeof mailApp>>

/** Queues mail to so many addresses, as the outbox would. */
async function queue(
  { app, keys }: Pick<MailApp, 'app' | 'keys'>,
  message: MessageName,
  count: number,
  seconds = 30 * minute,
): Promise<void> {
  const { clock, db, random } = app.deps
  const sealedMail = createSealedMail({ keys, random })
  const now = clock.now()
  const { kind, priority } = messageTypes[message]
  const rows = Array.from({ length: count }, (_, index): Insertable<Schema['mails']> => {
    queued += 1
    const id = `flood${queued}`
    const address = `${message}.${index}@example.org`
    const content = { address, language: 'en', facts: { username: 'ann' } } as const
    return {
      ...{ id, message, kind, priority, state: 'waiting', user_id: null, confirmation: flood },
      ...{ sealed: sealedMail.seal(id, content), address_index: sealedMail.indexOf(address) },
      ...{ client_index: null, ...dueOfNew(now, false), created_at: now, finished_at: null },
      expires_at: now + seconds * 1000,
    }
  })
  for (let from = 0; from < count; from += 500) {
    await db
      .insertInto('mails')
      .values(rows.slice(from, from + 500))
      .execute()
  }
}

async function owner(app: TestApp, name: string): Promise<string> {
  const account = await app.account(name)
  await verifyAddress(app, account, `${name}@example.net`)
  return `${name}@example.net`
}

async function askForReset(app: TestApp, email: string): Promise<void> {
  const answer = await app.call('POST', '/api/public/reset', { json: { email }, from: newHost() })
  assert.equal(answer.status, 202)
}

suite('a flood of sign-ups delays no other mail', async () => {
  test('3,800 queued sign-ups: a reset is sent at once, at any time, and the limit holds', async () => {
    const { app, relay, mailer, keys } = await mailApp()
    const owners: string[] = []
    for (let n = 0; n < 6; n += 1) owners.push(await owner(app, `owner${n}`))
    await queue({ app, keys }, 'sign_up', 3800)
    const sentAt: number[] = []
    for (let second = 0; second < 2 * minute; second += 5) {
      const email = second % 20 === 0 ? owners[second / 20] : undefined
      if (email) await askForReset(app, email)
      const before = relay.mails.length
      await mailer.run()
      const sent = relay.mails.slice(before)
      if (email) {
        assert.ok(
          sent.some(({ to }) => to.includes(email)),
          `the reset that was asked for in second ${second}`,
        )
      }
      for (const _ of sent) sentAt.push(second)
      app.clock.advance(5)
    }
    for (let from = 0; from < 2 * minute; from += 5) {
      const inMinute = sentAt.filter((at) => at >= from && at < from + minute)
      assert.ok(inMinute.length <= perMinute + lanes, `${inMinute.length} from second ${from}`)
    }
    const signUps = relay.mails.filter(({ to }) => to.some((one) => one.startsWith('sign_up.')))
    assert.ok(signUps.length >= 2 * 75, `${signUps.length} sign-ups in two minutes`)
    const waiting = (await mailRows(app)).filter(({ state }) => state === 'waiting')
    assert.equal(waiting.length, 3800 - signUps.length)
    assert.ok(waiting.every(({ message }) => message === 'sign_up'))
  })

  test('a notice goes before sign-ups that wait, and a flood of resets leaves sign-ups their room', async () => {
    const { app, relay, mailer, keys } = await mailApp({ MAIL_PER_MINUTE: '16' })
    await queue({ app, keys }, 'sign_up', 40)
    await queue({ app, keys }, 'password_changed', 1)
    await mailer.run()
    const order = relay.mails.splice(0).map(({ to }) => to[0] ?? '')
    const place = order.indexOf('password_changed.0@example.org')
    assert.ok(place >= 0 && place < lanes, `place ${place}`)
    app.clock.advance(minute + 1)
    await queue({ app, keys }, 'reset', 40)
    await mailer.run()
    const sent = relay.mails.map(({ to }) => to[0]?.split('.')[0])
    const count = (name: string) => sent.filter((one) => one === name).length
    assert.ok(count('reset') >= 10 && count('sign_up') >= 2, sent.join())
    assert.ok(sent.length <= 16 + lanes)
  })

  test('without a limit, what is least urgent is not sent last', async () => {
    const { app, relay, mailer, keys } = await mailApp({ MAIL_PER_MINUTE: '0' })
    await queue({ app, keys }, 'sign_in', 60)
    await queue({ app, keys }, 'sign_up', 2)
    await mailer.run()
    const order = relay.mails.map(({ to }) => to[0]?.split('.')[0])
    assert.equal(order.length, 62)
    assert.ok(order.lastIndexOf('sign_up') < 50, order.join())
  })

  test('a mail that expires unsent is reported in log, audit log, doctor and metric', async () => {
    const { app, mailer, keys } = await mailApp()
    await queue({ app, keys }, 'reset', 2, 30)
    await queue({ app, keys }, 'sign_up', 3, 30)
    await queue({ app, keys }, 'sign_up', 1, 3600)
    app.clock.advance(30)
    assert.equal(await mailer.expire(100), 5)
    const rows = await mailRows(app)
    const expired = rows.filter(({ state }) => state === 'expired')
    assert.equal(expired.length, 5)
    assert.ok(expired.every(({ sealed }) => sealed === null))
    const told = app.log.filter(({ event }) => event === 'mail_expired')
    assert.deepEqual(
      told.map(({ level, mail, message, user_id }) => [level, mail, message, user_id]).toSorted(),
      expired.map(({ id, message }) => ['warn', id, message, null]).toSorted(),
    )
    const records = await recordsAfter(app.deps, 0)
    assert.equal(records.filter(({ type }) => type === 'mail_expired').length, 5)
    const headers = app.basic(app.admin)
    const { body } = await app.call('GET', '/api/admin/doctor', { headers })
    const found = body.findings.find(({ check }: { check: string }) => check === 'mail_expired')
    assert.deepEqual(
      [found.level, found.what],
      ['warning', 'Mails have expired unsent in the last day: 3 sign_up, 2 reset.'],
    )
    const metrics = await app.call('GET', '/metrics', { headers })
    assert.match(metrics.text, /^gatehouse_mails_total\{.*result="expired".*\} 5$/m)
    assert.equal(await mailer.expire(100), 0)
  })
})
