import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { addMail, emailOf, servicesOf } from '../mail.ts'
import { exchange } from '../raw-http.ts'
import { relayEnv } from '../relay.ts'

const host = { host: 'localhost:3000' }

suite('the mail of development', async () => {
  const app = await testApp({ NODE_ENV: 'development' })
  const services = await servicesOf(app)
  const send = async (name: string) => {
    await addMail(app, services, {
      message: 'sign_up_exists',
      to: { address: emailOf(`${name}@example.org`) },
      facts: { username: '<b>Ann</b>' },
      language: 'en',
    })
    await services.mailer.run()
  }
  const folder = join(app.directory, 'mail')

  test('is written to files that no other user reads, and shown with its text and links', async () => {
    const none = await app.call('GET', '/dev/mail', { headers: host })
    assert.deepEqual([none.status, none.text.includes('There is none yet')], [200, true])
    await send('ann')
    const [file = ''] = readdirSync(folder)
    assert.match(file, /^2026-01-15T12-00-00-000Z-[\w-]{22}\.eml$/)
    assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600)
    assert.match(readFileSync(join(folder, file), 'utf8'), /^Auto-Submitted: auto-generated\r$/m)
    const list = await app.call('GET', '/dev/mail', { headers: host })
    assert.ok(list.text.includes(`href="/dev/mail/${file}"`))
    assert.ok(list.text.includes('ann@example.org'))
    const mail = await app.call('GET', `/dev/mail/${file}`, { headers: host })
    assert.equal(mail.status, 200)
    assert.match(mail.text, /<a href="http:\/\/127\.0\.0\.1:3000\/[^"]*">/)
    assert.ok(!mail.text.includes('<b>Ann'))
  })

  test('shows the HTML in a frame that runs no script and loads nothing', async () => {
    const [file = ''] = readdirSync(folder)
    const { text } = await app.call('GET', `/dev/mail/${file}`, { headers: host })
    const sandbox = 'allow-top-navigation-by-user-activation'
    assert.ok(
      text.includes(`<iframe src="/dev/mail/${file}/html" title="The mail" sandbox="${sandbox}">`),
    )
    const frame = await app.call('GET', `/dev/mail/${file}/html`, { headers: host })
    assert.equal(frame.status, 200)
    assert.equal(
      frame.headers['content-security-policy'],
      `sandbox ${sandbox}; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'`,
    )
    assert.equal(frame.headers['x-frame-options'], 'SAMEORIGIN')
    assert.match(
      frame.text,
      /^<!doctype html>\n<html lang="en" dir="ltr">\n<head><base target="_top">/,
    )
    assert.match(frame.text, /<a class="press" href="http:\/\/127\.0\.0\.1:3000\//)
    assert.ok(!frame.text.includes('<b>Ann') && frame.text.includes('&lt;b&gt;Ann'))
  })

  test('shows the last fifty', async () => {
    for (let index = 0; index < 55; index += 1) {
      app.clock.advance(1)
      await send(`p${index}`)
    }
    const { text } = await app.call('GET', '/dev/mail', { headers: host })
    assert.equal(text.match(/href="\/dev\/mail\//g)?.length, 50)
    assert.ok(text.includes('p54@example.org') && !text.includes('p4@example.org'))
  })

  test('does not exist for other machines, behind a proxy, or by another name of this one', async () => {
    const [file = ''] = readdirSync(folder)
    const strangers = [
      { headers: host, from: '192.0.2.7' },
      { headers: { ...host, 'x-forwarded-for': '192.0.2.7' } },
      { headers: { ...host, forwarded: 'for=192.0.2.7' } },
      { headers: { ...host, 'x-real-ip': '192.0.2.7' } },
      { headers: { ...host, 'x-forwarded-host': 'dev.example.net' } },
      { headers: { ...host, 'x-forwarded-proto': 'https' } },
      { headers: { ...host, via: '1.1 proxy' } },
      { headers: { host: 'rebound.example.net:3000' } },
    ]
    for (const stranger of strangers) {
      for (const path of ['/dev/mail', `/dev/mail/${file}`, `/dev/mail/${file}/html`]) {
        const { status, body } = await app.call('GET', path, stranger)
        assert.deepEqual([status, body], [404, { error: 'Route not found' }])
      }
    }
    // nginx with nothing but `proxy_pass http://127.0.0.1:3000` sends this.
    const { port } = await app.listen()
    const plain = (version: string) =>
      `GET /dev/mail HTTP/${version}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`
    const status = async (version: string) =>
      (await exchange(port, plain(version))).answers.map((answer) => answer.status)
    assert.deepEqual([await status('1.0'), await status('1.1')], [[404], [200]])
  })

  test('shows no other file', async () => {
    for (const file of ['..%2fgatehouse.db', '%2e%2e%2fmaster.key', 'none.eml', '..']) {
      for (const path of [`/dev/mail/${file}`, `/dev/mail/${file}/html`]) {
        const { status } = await app.call('GET', path, { headers: host })
        assert.equal(status, 404, path)
      }
    }
  })

  const others: Record<string, Record<string, string>> = {
    'in production': {
      NODE_ENV: 'production',
      BASE_URL: 'https://id.example.org',
      TRUST_PROXY: 'none',
    },
    'in tests': { NODE_ENV: 'test' },
    'on another address than loopback': { NODE_ENV: 'development', HOST: '0.0.0.0' },
    'with a mail server': { NODE_ENV: 'development', ...relayEnv(2525, 'none') },
  }
  for (const [where, env] of Object.entries(others)) {
    test(`does not exist ${where}`, async () => {
      const other = await testApp(env)
      const { status, body } = await other.call('GET', '/dev/mail', { headers: host })
      assert.deepEqual([status, body.error], [404, 'Route not found'])
    })
  }
})
