import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { type Asked, askForward, home, proxied } from '../forward.ts'
import { forwardFile, writeForward } from '../forward-file.ts'
import { assertRefusal } from '../refusal.ts'

const rules = [
  { hosts: ['wiki.example.org'], paths: ['/open/*'], policy: 'bypass' },
  { hosts: ['wiki.example.org', 'id.example.org'], policy: 'one_factor' },
]

suite('forward authentication while time goes on and the file changes', async () => {
  const file = forwardFile(rules)
  const app = await testApp({
    ...proxied,
    FORWARD_AUTH_FILE: file,
    SESSION_ABSOLUTE_SECONDS: '0',
    LOGIN_TOKEN_SECONDS: '3600',
  })
  const ann = await app.account('ann')
  const look = async () => {
    const before = app.log.length
    await app.app.jobs.find(({ name }) => name === 'forward file')?.run()
    return app.log.slice(before)
  }
  const brokenMetric = async () => {
    const { text } = await app.call('GET', '/metrics', { headers: app.basic(app.admin) })
    return /^gatehouse_forward_file_broken (\d)$/m.exec(text)?.[1]
  }
  const answers = async () => {
    const asked: readonly Asked[] = [
      { uri: '/open/' },
      { uri: '/page' },
      { uri: '/page', headers: app.basic(ann) },
      { host: 'files.example.org', headers: app.basic(ann) },
    ]
    const all = await Promise.all(asked.map((one) => askForward(app, one)))
    return all.map(({ status }) => status)
  }

  test('a file that is broken changes no answer, and is told; once it is mended, it counts', async () => {
    const before = await answers()
    assert.deepEqual([before, await brokenMetric()], [[200, 401, 200, 403], '0'])
    writeForward(
      file,
      '{"rules":[{"hosts":["files.example.org"],"policy":"bypass"},{"hosts":[7]}]}',
    )
    const told = await look()
    assert.deepEqual(
      told.map(({ level, event }) => [level, event]),
      [
        ['error', undefined],
        ['error', 'sys_forward_rules_broken'],
      ],
    )
    assert.match(JSON.stringify(told[0]), /FORWARD_AUTH_FILE rule 2 /)
    assert.deepEqual([await answers(), await brokenMetric()], [before, '1'])
    writeForward(file, [{ hosts: ['files.example.org'], policy: 'bypass' }])
    assert.ok((await look()).some(({ event }) => event === 'sys_forward_rules_changed'))
    assert.deepEqual([await answers(), await brokenMetric()], [[403, 403, 403, 200], '0'])
    writeForward(file, rules)
    await look()
    assert.deepEqual(await answers(), before)
  })

  test('a token counts until the second in which it expires, also from memory', async () => {
    const asked = { headers: await app.bearer(ann) }
    assert.equal((await askForward(app, asked)).status, 200)
    app.clock.advance(3599)
    assert.equal((await askForward(app, asked)).status, 200)
    app.clock.advance(1)
    assertRefusal(await askForward(app, asked), 401, 'Invalid or expired token')
  })

  test('a session counts until the second of its timeout, which each visit begins anew', async () => {
    const { cookie } = await app.session(ann)
    const asked = { host: new URL(home).host, headers: { cookie } }
    for (const seconds of [0, 1799, 1799]) {
      app.clock.advance(seconds)
      assert.equal((await askForward(app, asked)).status, 200)
    }
    app.clock.advance(1800)
    assertRefusal(await askForward(app, asked), 401, 'Authentication required')
  })
})
