// A database makes a difference: what a broken-off run leaves.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { type TestApp, testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { peopleAndDoings, verified } from './verified.ts'
import { wrongService } from './wrong-service.ts'

/** Notes the requests that arrive. */
function noteRequests({ app }: TestApp): string[] {
  const asked: string[] = []
  app.server.server.on('request', ({ method, url }) => asked.push(`${method} ${url}`))
  return asked
}

suite('gatehouse verify', async () => {
  const app = await testApp()
  const { url } = await app.listen()

  test('read-only: safe requests alone, by the administrator or nobody; no row changes', async () => {
    const asked = noteRequests(app)
    const before = await app.rows('refusals')
    const { code, failed, report, stderr } = await verified(
      app,
      url,
      '--profile read-only --wait 700000',
    )
    assert.deepEqual([failed, stderr, code], [[], '', 0])
    assert.ok(report.passed >= 25, String(report.passed))
    assert.deepEqual(
      asked.filter((one) => !/^(GET|HEAD|OPTIONS) /.test(one)),
      [],
    )
    assert.deepEqual(await app.rows('refusals'), before)
  })

  test('read-only without a password: what anyone may ask', async () => {
    const { code, failed, notChecked, report } = await verified(app, url, '--profile read-only', {
      env: {},
    })
    assert.deepEqual([failed, code], [[], 0])
    assert.ok(notChecked.includes('4.2-page-default') && report.passed >= 19, String(report.passed))
    const { faults } = report.checks.find(({ id }) => id === '4.2-page-default') ?? {}
    assert.deepEqual(faults, ['no administrator is given'])
  })

  test('a signal breaks the run off, and what was made is removed', async () => {
    const stop = new AbortController()
    let posts = 0
    app.app.server.server.on('request', ({ method, url }, response) => {
      if (method === 'POST' && url === '/api/posts') posts += 1
      if (posts === 3) response.on('finish', () => stop.abort())
    })
    const before = await peopleAndDoings(app)
    const ran = await verified(app, url, '--only 4.3-posts', {
      stop: stop.signal,
      env: adminOf(app),
    })
    assert.deepEqual(
      [ran.code, ran.stderr],
      [130, 'error: broken off: the data of the run is removed\n'],
    )
    assert.ok(posts >= 3 && ran.report.passed > 0)
    assert.deepEqual(await peopleAndDoings(app), before)
  })

  test('a signal while it waits', async () => {
    const stop = new AbortController()
    const clock = {
      now: app.clock.now,
      wait: async () => stop.abort(),
    }
    const before = await peopleAndDoings(app)
    const words = '--only 3.1-idle --wait 2000'
    const ran = await verified(app, url, words, { stop: stop.signal, clock, env: adminOf(app) })
    assert.deepEqual([ran.code, ran.report.checks], [130, []])
    assert.deepEqual(await peopleAndDoings(app), before)
  })

  test('a wrong password: one request, and no check', async () => {
    const asked = noteRequests(app)
    const ran = await verified(app, url, '', { env: { ADMIN_PASSWORD: 'not the password' } })
    assert.deepEqual([ran.code, ran.stdout, asked.length], [1, '', 1])
    assert.match(ran.stderr, /^error: the administrator cannot read users by Basic: 401 /)
  })

  test('an address without a service', async () => {
    const ran = await verified(app, 'http://127.0.0.1:9')
    assert.deepEqual([ran.code, ran.stdout], [1, ''])
    assert.match(ran.stderr, /^error: there is no answer: GET \/users\?page=1&limit=1: /)
  })

  for (const [status, outcome, code] of [
    [404, 'not_checked', 0],
    [403, 'not_checked', 0],
    [500, 'failed', 1],
  ] as const) {
    test(`no account can be created, ${status}: ${outcome}`, async () => {
      const wrong = await wrongService(url)
      const json = { 'content-type': 'application/json' }
      wrong.spoil = async (asked, forward) =>
        asked.method === 'POST' && asked.path === '/api/admin/accounts'
          ? { status, headers: json, cookies: [], text: '{"error":"No"}' }
          : forward(asked)
      const ran = await verified(app, wrong.url, '--only 4.2-get-200')
      assert.deepEqual(
        ran.report.checks.map((one) => [one.outcome, one.faults]),
        [[outcome, [`an account is refused: ${status} {"error":"No"}`]]],
      )
      assert.equal(ran.code, code)
      const strict = await verified(app, wrong.url, '--only 4.2-get-200 --strict')
      assert.equal(strict.code, 1)
    })
  }

  test('a service that ends meanwhile: three requests without an answer, and no more', async () => {
    let asked = 0
    const server = createServer((request, response) => {
      asked += 1
      if (asked === 1) return response.end('{}')
      request.socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // it listens on a port
    const ran = await verified(app, `http://127.0.0.1:${port}`)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    assert.deepEqual([ran.failed.length, ran.report.passed, ran.code, asked], [3, 0, 1, 4])
    assert.ok(ran.report.checks.some(({ faults }) => faults[0] === 'the service no longer answers'))
  })

  test('the password comes from a file or from standard input', async () => {
    const path = join(app.directory, 'admin-password')
    writeFileSync(path, `${app.admin.password}\n`, { mode: 0o600 })
    const words = `verify ${url} --only 4.2-page-default`
    const file = await gatehouse(app.directory, `${words} --password-file ${path}`)
    assert.deepEqual([file.code, file.stderr], [0, ''])
    const env = { ADMIN_PASSWORD_FILE: path }
    assert.equal((await gatehouse(app.directory, words, { env })).code, 0)
    const stdin = `${app.admin.password}\n`
    assert.equal((await gatehouse(app.directory, `${words} --password-stdin`, { stdin })).code, 0)
  })

  for (const [words, message] of [
    ['http://127.0.0.1:9', /^error: the password of an administrator is needed/],
    ['', /^error: missing: /],
    ['ftp://a.example', /^error: the URL must be one of https or http/],
    ['http://ann:pw@a.example', /^error: the URL must be one of https or http/],
    ['http://a.example/?x=1', /^error: the URL must be without a query/],
    ['http://a.example --profile all', /^error: --profile is one of contract, decisions/],
    ['http://a.example --format xml', /^error: --format is one of text, json, junit/],
    ['http://a.example --wait soon', /^error: --wait must be a number of seconds/],
    ['http://a.example --setting PORT=1', /^error: --setting must be NAME=value, with one of/],
    ['http://a.example --setting LOGIN_ATTEMPTS=x', /^error: --setting LOGIN_ATTEMPTS must have/],
    ['http://a.example --only no-such-check', /^error: no check begins with no-such-check/],
    ['http://a.example --password seven', /^error: a password or token is never an argument/],
  ] as const) {
    test(`wrong usage: ${words || 'no URL'}`, async () => {
      const { code, stdout, stderr } = await gatehouse('/nonexistent', `verify ${words}`)
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, message)
    })
  }
})

function adminOf({ admin }: TestApp) {
  return { ADMIN_PASSWORD: admin.password }
}
