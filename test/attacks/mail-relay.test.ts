// A database makes a difference: what is given back is leased again by statements of its own.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSealedMail } from '../../src/extras/mail/sealed-mail.ts'
import { testApp } from '../app.ts'
import { loadConfig } from '../config.ts'
import { addMail, emailOf, mailerOf, mailRows, servicesOf, verifyAddress } from '../mail.ts'
import { type RelayOptions, relayEnv, stages, startRelay, startSilentRelay } from '../relay.ts'
import { certificate } from '../self-signed.ts'
import { localCertificate } from '../tls-files.ts'

const app = await testApp()
const services = await servicesOf(app)

/** A process of one service, with an empty outbox and these settings. */
async function serviceOf(env: Record<string, string>) {
  await app.deps.db.deleteFrom('mails').execute()
  app.log.length = 0
  const config = { ...app.deps.config, mail: loadConfig(env).mail }
  const add = (to: string, priority = 10, expiresIn = 600) =>
    addMail(app, services, {
      message: 'test',
      to: { address: emailOf(to) },
      facts: { at: app.clock.now() },
      language: 'en',
      priority,
      expiresAt: app.clock.now() + expiresIn * 1000,
    })
  const row = async (id: string) => {
    const found = (await mailRows(app)).find((mail) => mail.id === id)
    assert.ok(found)
    return found
  }
  return { config, mailer: mailerOf(app, services, { config }), add, row }
}

async function withRelay(options: RelayOptions = {}) {
  const relay = await startRelay(options)
  return { relay, ...(await serviceOf(relay.env)) }
}

suite('a relay that cannot be trusted gets no mail', () => {
  const login = { name: 'gate', password: 'secret word' }
  const authority = certificate({ commonName: 'authority', isAuthority: true })
  const cases: Record<string, RelayOptions> = {
    'one that does not offer STARTTLS': { stripsStartTls: true, user: login },
    'one that does not offer STARTTLS, without a login': { stripsStartTls: true },
    'one whose certificate no trusted authority has signed': { authority: authority.cert },
    'one whose certificate has expired': { certificate: localCertificate('250201') },
    'one whose certificate is for another host': {
      certificate: certificate({ commonName: 'mail.example.org', hosts: ['mail.example.org'] }),
    },
    'the same, with TLS from the first byte': {
      security: 'tls',
      certificate: certificate({ commonName: 'mail.example.org', hosts: ['mail.example.org'] }),
    },
    'one that refuses the sender': { onSender: () => '553 5.7.1 Not your address' },
    'one that shuts down': { onSender: () => '421 4.3.2 Shutting down' },
  }
  for (const [name, options] of Object.entries(cases)) {
    test(name, async () => {
      const { relay, mailer, add, row } = await withRelay(options)
      const id = await add('ann@example.org')
      await mailer.run()
      assert.deepEqual([relay.mails, relay.recipients], [[], []])
      const { state, attempts, sealed } = await row(id)
      assert.deepEqual([state, attempts], ['waiting', 0])
      assert.ok(sealed)
      assert.ok(mailer.trouble())
      assert.equal(mailer.isIdle(), true)
      const warned = app.log.filter(({ msg }) => msg === 'the mail server takes no mail')
      assert.equal(warned.length, 1)
    })
  }

  test('one that refuses the login', async () => {
    const relay = await startRelay({ user: login })
    const other = { name: login.name, password: 'another word' }
    const wrong = relayEnv(relay.port, 'starttls', relay.certificate.cert, other)
    const { mailer, add, row } = await serviceOf(wrong)
    const id = await add('ann@example.org')
    await mailer.run()
    assert.equal((await row(id)).state, 'waiting')
    assert.match(mailer.trouble()?.response ?? '', /^535 /)
    assert.deepEqual(relay.recipients, [])
  })

  test('NODE_TLS_REJECT_UNAUTHORIZED changes nothing', async () => {
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      const { relay, mailer, add } = await withRelay({ authority: authority.cert })
      await add('ann@example.org')
      await mailer.run()
      assert.deepEqual(relay.recipients, [])
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
  })
})

suite('a relay that stops to answer', () => {
  const timeouts = { connect: 150, greeting: 150, silence: 150, mail: 400 }
  for (const stage of stages) {
    for (const drips of stage === 'connect' ? [false] : [false, true]) {
      test(`at ${stage}${drips ? ', but for a byte now and then' : ''}, loses no mail`, async () => {
        const relay = await startSilentRelay(stage, drips)
        const { config, add, row } = await serviceOf(relay.env)
        const mailer = mailerOf(app, services, { config, timeouts })
        const id = await add('ann@example.org')
        await mailer.run()
        const { state, sealed, locked_by, response } = await row(id)
        assert.deepEqual([state, locked_by], ['waiting', null])
        assert.ok(sealed && response)
      })
    }
  }
})

suite('a relay that fails', () => {
  test('for ever with 4xx: it is asked ever more rarely, until the mail is worth nothing', async () => {
    const { relay, mailer, add, row } = await withRelay({
      onRecipient: () => '450 4.2.0 Try later',
    })
    const id = await add('ann@example.org')
    const waits: number[] = []
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await mailer.run()
      const { due_at, attempts } = await row(id)
      assert.equal(attempts, attempt)
      waits.push(Math.round((due_at - app.clock.now()) / 1000))
      await mailer.run()
      assert.equal(relay.recipients.length, attempt, 'not before its time')
      app.clock.advance((due_at - app.clock.now()) / 1000)
    }
    for (const [index, seconds] of [5, 30, 120, 600].entries()) {
      const wait: number = waits[index] ?? 0
      assert.ok(
        wait >= Math.floor(seconds * 0.9) && wait <= seconds,
        `${wait} s after attempt ${index + 1}`,
      )
    }
    assert.equal(await mailer.expire(100), 1)
    const { state, sealed, finished_at } = await row(id)
    assert.deepEqual([state, sealed, finished_at], ['expired', null, app.clock.now()])
    await mailer.run()
    assert.deepEqual(relay.mails, [])
  })

  test('with 5xx: the mail fails, those behind it go, and the address is marked', async () => {
    const { relay, mailer } = await withRelay({
      onRecipient: (address) =>
        address.startsWith('gone') ? `550 5.1.1 <${address}> no such user` : undefined,
    })
    const [ann, ben] = [await app.account('ann'), await app.account('ben')]
    await verifyAddress(app, ann, 'gone@example.org')
    await verifyAddress(app, ben, 'ben@example.org')
    const send = ({ userId }: { userId: number }) =>
      addMail(app, services, {
        message: 'password_changed',
        to: { userId },
        facts: { username: 'x' },
        language: 'en',
      })
    const [bad, good] = [await send(ann), await send(ben)]
    await mailer.run()
    const rows = await mailRows(app)
    const stateOf = (id: string) => rows.find((row) => row.id === id)
    assert.equal(stateOf(bad)?.state, 'failed')
    assert.equal(stateOf(bad)?.response, '550 5.1.1 <…> no such user')
    assert.equal(stateOf(good)?.state, 'sent')
    assert.deepEqual(
      relay.mails.map(({ to }) => to),
      [['ben@example.org']],
    )
    const marked = await app.deps.db
      .selectFrom('accounts')
      .select(['user_id', 'undeliverable_at', 'undeliverable_reason'])
      .where('undeliverable_at', 'is not', null)
      .execute()
    assert.deepEqual(marked, [
      {
        user_id: ann.userId,
        undeliverable_at: app.clock.now(),
        undeliverable_reason: '550 5.1.1 <…> no such user',
      },
    ])
    assert.ok(!JSON.stringify(app.log).includes('gone@example.org'), 'no address in the log')
    const events = app.log.map(({ event }) => event)
    assert.ok(events.includes('mail_failed') && events.includes('mail_address_undeliverable'))
  })

  test('with 5xx for the address of before: the new one of the account is not marked', async () => {
    const { mailer } = await withRelay({ onRecipient: () => '550 5.1.1 no such user' })
    const eva = await app.account('eva')
    await verifyAddress(app, eva, 'eva.before@example.org')
    const id = await addMail(app, services, {
      message: 'password_changed',
      to: { userId: eva.userId },
      facts: { username: 'x' },
      language: 'en',
    })
    await verifyAddress(app, eva, 'eva.now@example.org')
    await mailer.run()
    assert.equal((await mailRows(app)).find((mail) => mail.id === id)?.state, 'failed')
    const marks = await app.deps.db
      .selectFrom('accounts')
      .select('undeliverable_at')
      .where('user_id', '=', eva.userId)
      .executeTakeFirst()
    assert.equal(marks?.undeliverable_at, null)
    assert.ok(!app.log.some(({ event }) => event === 'mail_address_undeliverable'))
  })

  test('with 5xx for another reason: no address is marked', async () => {
    const ann = await app.account('ann2')
    await verifyAddress(app, ann, 'ann2@example.org')
    for (const answer of [
      '550 5.7.1 Relay access denied',
      '554 5.6.0 Content refused',
      '550 5.1.8 Sender address rejected: Domain not found', // when it hears of the recipient
      '553 5.1.7 Sender address rejected',
      '552 5.2.2 Mailbox full', // anyone can fill one
      '552 5.2.3 Message too long',
    ]) {
      const { mailer } = await withRelay({ onRecipient: () => answer })
      const id = await addMail(app, services, {
        message: 'password_changed',
        to: { userId: ann.userId },
        facts: { username: 'ann' },
        language: 'en',
      })
      await mailer.run()
      const found = (await mailRows(app)).find((row) => row.id === id)
      assert.equal(found?.state, 'failed')
      const account = await app.deps.db
        .selectFrom('accounts')
        .select('undeliverable_at')
        .where('user_id', '=', ann.userId)
        .executeTakeFirst()
      assert.equal(account?.undeliverable_at, null)
    }
  })

  test('with 421 for one address: it waits, and those behind it go', async () => {
    const { mailer, add, row } = await withRelay({
      onRecipient: (address) => (address.startsWith('tarpit') ? '421 4.7.0 Try again' : undefined),
    })
    const bad = await add('tarpit@example.org', 0, 86_400)
    await mailer.run()
    const good = await add('good@example.org')
    await mailer.run()
    assert.equal((await row(good)).state, 'sent')
    assert.equal((await row(bad)).state, 'waiting')
  })

  test('and closes after the message: it is sent again, as the same mail', async () => {
    const { relay, mailer, add, row } = await withRelay({ closesAfterData: true })
    const id = await add('ann@example.org')
    await mailer.run()
    const waiting = await row(id)
    assert.deepEqual([waiting.state, waiting.attempts], ['waiting', 1])
    app.clock.advance(10)
    await mailer.run()
    assert.deepEqual(
      relay.mails.map(({ message }) => message.messageId),
      [`<${id}@id.example.org>`, `<${id}@id.example.org>`],
    )
    assert.equal(relay.mails[0]?.raw, relay.mails[1]?.raw)
  })

  test('for an hour: nothing is lost that has not expired, and no row is tried in vain', async () => {
    const first = await startRelay()
    const { mailer, add, row } = await serviceOf(first.env)
    await first.stop()
    const short = await add('short@example.org', 10, 600)
    const long = [await add('a@example.org', 10, 7200), await add('b@example.org', 10, 7200)]
    for (let minute = 0; minute < 60; minute += 1) {
      await mailer.run()
      await mailer.expire(100)
      app.clock.advance(60)
    }
    assert.equal((await row(short)).state, 'expired')
    for (const id of long) {
      const { state, attempts } = await row(id)
      assert.deepEqual([state, attempts], ['waiting', 0])
    }
    app.clock.advance(20)
    const second = await startRelay({ port: first.port, certificate: first.certificate })
    await mailer.run()
    await mailer.run()
    assert.deepEqual(second.mails.flatMap(({ to }) => to).toSorted(), [
      'a@example.org',
      'b@example.org',
    ])
    assert.equal(mailer.trouble(), null)
    const told = app.log.map(({ msg }) => msg)
    assert.equal(told.filter((text) => text === 'the mail server takes no mail').length, 1)
    assert.equal(told.filter((text) => text === 'the mail server takes mail again').length, 1)
  })
})

suite('a hostile address', () => {
  const hostile = [
    'v@example.org, evil@example.net',
    'v@example.org\r\nRCPT TO:<evil@example.net>',
    'v@example.org>\r\nRCPT TO:<evil@example.net',
    'g: evil@example.net;',
    'g:v@example.org,evil@example.net;',
    '"a\r\nb"@example.org',
    '"evil@example.net"@example.org',
    'v@example.org;evil@example.net',
    'v@example.org evil@example.net',
    '<evil@example.net>',
    'Ann <evil@example.net>',
    'v@example.org\0evil',
    'v@[127.0.0.1]',
    'v@xn--',
    `${'a'.repeat(65)}@example.org`,
    `v@${'a.'.repeat(130)}org`,
    'evil@example.net(@example.org)',
    'v@@example.org',
    '',
  ]

  test('is none when it is typed', async () => {
    const { parseEmail } = await import('../../src/core/addresses/email.ts')
    assert.deepEqual(
      hostile.filter((text) => parseEmail(text) !== null),
      [],
    )
  })

  test('that stands in a row all the same reaches no relay, in any form', async () => {
    const { relay, mailer, add, row } = await withRelay()
    const sealed = createSealedMail({ keys: services.keys, random: app.deps.random })
    const ids = []
    for (const address of hostile) {
      const id = await add('placeholder@example.org', 0)
      const content = { address, language: 'en', facts: { at: 0 } } as const
      await app.deps.db
        .updateTable('mails')
        .set({ sealed: sealed.seal(id, content) })
        .where('id', '=', id)
        .execute()
      ids.push(id)
    }
    const good = await add('good@example.org', 50)
    await mailer.run()
    for (const id of ids) assert.equal((await row(id)).state, 'failed')
    assert.equal((await row(good)).state, 'sent')
    assert.deepEqual(relay.recipients, ['good@example.org'])
  })

  test('or name, in what a caller has written, adds no header and no element', async () => {
    const { relay, mailer } = await withRelay()
    const text = 'x\r\nBcc: evil@example.net\r\n\r\n<b onmouseover="alert(1)">&amp;</b>'
    await addMail(app, services, {
      message: 'sign_up_exists',
      to: { address: emailOf('ann@example.org') },
      facts: { username: text },
      language: 'en',
    })
    await mailer.run()
    const [mail] = relay.mails
    assert.ok(mail)
    assert.deepEqual(mail.to, ['ann@example.org'])
    assert.equal(mail.message.bcc, undefined)
    assert.ok(!/^bcc:/im.test(mail.raw.split('\r\n\r\n', 1)[0] ?? ''))
    assert.doesNotMatch(mail.message.html ?? '', /<b onmouse/)
  })
})
