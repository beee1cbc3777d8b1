// A database makes a difference: refusals are counted by requests that run at once.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, testApp } from '../app.ts'
import { guess, newHost } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'
import {
  begunSignUp,
  invited,
  mailboxOf,
  person,
  profileFields,
  profileOf,
} from '../registration.ts'

const path = '/api/public/sign-up'
const accept = '/api/public/invitation'

suite('usernames that are taken, against who tries many behind one mailbox', async () => {
  const settings = { SIGN_UP: 'open', MAIL_REQUESTS_PER_CLIENT: '0' }
  const app = await testApp(settings)
  const other = await testApp(settings, { directory: app.directory, clock: app.clock })
  const mailbox = await mailboxOf(app)
  await app.account('ann')
  let count = 0
  const address = () => `asker${++count}@example.org`
  const begun = async () => (await begunSignUp(app, mailbox, address())).token
  const invitation = async () =>
    (await invited(app, mailbox, { email: address(), roles: ['USER'] })).token as string
  const sent = (token: string, username: string, from: string) => ({
    json: { token, ...profileOf(username) },
    from,
  })
  const signUp = (token: string, username = 'ann', from = newHost()) =>
    app.call('POST', `${path}/complete`, sent(token, username, from))
  const accepting = (token: string, username = 'ann', from = newHost()) =>
    app.call('POST', accept, sent(token, username, from))

  function assertTooMany(answer: Answer, about = '') {
    assertRefusal(answer, 429, 'Too many requests', about)
    const wait = Number(answer.headers['retry-after'])
    assert.ok(wait > 0 && wait <= 900, `${wait}`)
  }

  for (const [what, begin, finish] of [
    ['a sign-up', begun, signUp],
    ['an invitation', invitation, accepting],
  ] as const) {
    test(`${what}: ten refusals, then 429 from any client, and later the link makes the account`, async () => {
      const token = await begin()
      for (let n = 0; n < 10; n += 1) {
        assertRefusal(await finish(token), 409, 'Username already exists')
      }
      const before = await app.rows()
      assertTooMany(await finish(token), 'a taken name')
      assertTooMany(await finish(token, `free${count}`), 'a free one, which would tell as much')
      assert.deepEqual(await app.rows(), before)
      assert.equal((await finish(await begin(), `other${count}`)).status, 201, 'another mailbox')
      app.clock.advance(900)
      assert.equal((await finish(token, `late${count}`)).status, 201)
    })
  }

  test('of 40 at once at two nodes ten are told', async () => {
    const token = await begun()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        (n % 2 ? app : other).call('PUT', path, sent(token, 'ann', newHost())),
      ),
    )
    const told = answers.filter(({ status }) => status === 409)
    assert.equal(told.length, 10)
    for (const answer of answers) if (answer.status !== 409) assertTooMany(answer)
  })

  test('one client is told ten over all its mailboxes, sign-ups and invitations', async () => {
    const [from, statuses] = ['2001:db8:7::1', [] as number[]]
    for (const same of ['2001:db8:7::2', '2001:db8:7::3']) {
      for (let n = 0; n < 3; n += 1) {
        statuses.push((await signUp(await begun(), 'ann', from)).status)
        statuses.push((await accepting(await invitation(), 'ann', same)).status)
      }
    }
    // Each mailbox was asked for 61 seconds after the one before, within the window.
    assert.deepEqual(statuses, [...Array(10).fill(409), 429, 429])
    assert.equal((await signUp(await begun(), `elsewhere${count}`, '2001:db8:8::1')).status, 201)
  })

  test('what is refused for another reason, and what is made, counts for nothing', async () => {
    const from = newHost()
    const token = await begun()
    for (let n = 0; n < 12; n += 1) {
      assert.equal((await signUp(token, 'root', from)).status, 400)
    }
    for (let n = 0; n < 12; n += 1) {
      const json = { token, ...profileOf(`weak${count}`), password: 'short' }
      assert.equal((await app.call('PUT', path, { json, from })).status, 400)
    }
    assert.deepEqual(
      await app.deps.db
        .selectFrom('throttle_places')
        .select('id')
        .where('address', '=', from)
        .execute(),
      [],
    )
    assert.equal((await signUp(token, `made${count}`, from)).status, 201)
  })

  for (const [what, link] of [
    ['sign-up', async () => `/signup?token=${await begun()}`],
    ['invitation', async () => `/invitation?token=${await invitation()}`],
  ] as const) {
    test(`the page of ${what} says so, and keeps the form`, async () => {
      const node = person(app)
      app.clock.advance(900) // the clients of tests before
      await node.open(await link())
      for (let n = 0; n < 10; n += 1) {
        const taken = await node.send({ ...profileFields(`page${count}`), username: 'ann' })
        assert.equal(taken.status, 409)
      }
      const refused = await node.send(profileFields(`page${count}`))
      assert.equal(refused.status, 429)
      assert.ok(Number(refused.headers['retry-after']) > 0)
      assert.match(refused.text, /You have tried too many usernames that are taken/)
      app.clock.advance(900)
      assert.equal((await node.send(profileFields(`page${count}`))).status, 303)
    })
  }

  test('an administrator sees the limit', async () => {
    const from = newHost()
    await signUp(await begun(), 'ann', from)
    const headers = app.basic(app.admin)
    const { body } = await app.call('GET', '/api/admin/throttle', { headers })
    const limits = body.counts.data.filter(
      ({ count: limit }: { count: string }) => limit === 'taken_usernames',
    )
    assert.ok(limits.some((limit: { address: string }) => limit.address === from))
  })

  test('an administrator who clears the address opens it for other links; the link stays closed', async () => {
    const [from, headers] = [newHost(), app.basic(app.admin)]
    const token = await begun()
    for (let n = 0; n < 10; n += 1) await signUp(token, 'ann', from)
    assertTooMany(await signUp(await begun(), `closed${count}`, from))
    const { status, body } = await app.call('DELETE', `/api/admin/throttle/addresses/${from}`, {
      headers,
    })
    assert.deepEqual(
      [status, body.address, body.logins, body.clients, body.usernames],
      [200, from, 0, 0, 10],
    )
    assert.equal((await signUp(await begun(), `opened${count}`, from)).status, 201)
    assertTooMany(await signUp(token, `still${count}`, from))
  })

  test('to clear the address is no mend of a login limit of the address that has lapsed', async () => {
    const [from, headers] = [newHost(), app.basic(app.admin)]
    for (let n = 0; n < 20; n += 1) await guess(app, { username: `guess${n}` }, from)
    const refused = await guess(app, { username: 'guess' }, from)
    assert.equal(refused.status, 429)
    const explained = async () => {
      await app.app.jobs.find((job) => job.name === 'refusals')?.run()
      const id = refused.headers['x-request-id']
      const { body } = await app.call('GET', `/api/admin/explain/${id}`, { headers })
      return [body.code, body.mends]
    }
    assert.deepEqual(await explained(), ['limit_address', ['clear_address']])
    app.clock.advance(3600)
    await signUp(await begun(), 'ann', from)
    assert.deepEqual(await explained(), ['limit_address', []])
  })
})
