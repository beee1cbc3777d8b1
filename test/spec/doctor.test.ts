// A database makes a difference: what is read of it, its clock and its settings.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { loadChecks, rowsByPlace } from '../../src/extras/doctor/all-checks.ts'
import { modules } from '../../src/modules.ts'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { fixedClock, steppingClock } from '../clock.ts'
import { postgresOnly, testDatabase } from '../database.ts'

interface Named {
  readonly check: string
  readonly level: string
}

suite('GET /api/admin/doctor', async () => {
  // PostgreSQL has the time of the machine.
  const clock = { ...fixedClock(), now: () => Date.now() }
  const app = await testApp({ NODE_ENV: 'development', LOGIN_ATTEMPTS: '0' }, { clock })
  const monthAgo = clock.now() - 30 * 86_400_000
  await app.deps.db.updateTable('schema_version').set({ applied_at: monthAgo }).execute()
  const headers = app.basic(app.admin)

  /** Whether this PostgreSQL is set to lose what it has committed, as that of the tests, to be quick. */
  async function isLossy(): Promise<boolean> {
    if (testDatabase !== 'postgres') return false
    const { rows } = await sql<{ fsync: string }>`show fsync`.execute(app.deps.db)
    return rows[0]?.fsync === 'off'
  }

  test('answers what the inside checks find, the worst first, and changes nothing', async () => {
    const before = await app.rows('refusals')
    const askedAt = clock.now()
    const { status, body } = await app.call('GET', '/api/admin/doctor', { headers })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), [
      ...['checked_at', 'url', 'checks', 'errors', 'warnings', 'advice', 'unknown', 'findings'],
    ])
    const checkedAt = Date.parse(body.checked_at)
    assert.ok(checkedAt >= askedAt && checkedAt <= clock.now(), body.checked_at)
    const isLoss = ({ check }: Named) => check === 'postgresql_durability'
    const losses = body.findings.filter(isLoss)
    assert.equal(losses.length > 0, await isLossy())
    const rest = body.findings.filter((one: Named) => !isLoss(one))
    assert.deepEqual(body.findings, [...losses, ...rest], 'the worst first')
    assert.deepEqual(
      rest.map(({ check, level }: Named) => [level, check]),
      [
        ['warning', 'login_limits'],
        ['info', 'environment'],
        ['info', 'backup_none'],
      ],
    )
    assert.deepEqual([body.url, body.errors], [null, losses.length])
    assert.deepEqual([body.warnings, body.advice, body.unknown], [1, 2, 0])
    assert.deepEqual(rest[0], {
      check: 'login_limits',
      level: 'warning',
      what: 'LOGIN_ATTEMPTS is 0: no limit for each username and address.',
      why: 'Without a limit a password can be guessed as fast as the service answers.',
      mend: {
        do: 'Leave the setting out, or set a number.',
        setting: 'LOGIN_ATTEMPTS=5',
        nginx: null,
        caddy: null,
      },
    })
    assert.deepEqual(await app.rows('refusals'), before)
  })

  test('answers callers that ask together with one examination', async () => {
    const asked = Array.from({ length: 5 }, () => app.call('GET', '/api/admin/doctor', { headers }))
    const answers = await Promise.all(asked)
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  })

  test('is the same at the command line, as text and as JSON', async () => {
    const env = { NODE_ENV: 'development', LOGIN_ATTEMPTS: '0' }
    const options = { env, clock: steppingClock(clock) }
    const { body } = await app.call('GET', '/api/admin/doctor', { headers })
    const json = await gatehouse(app.directory, 'doctor --inside --json', options)
    const { checked_at, ...report } = JSON.parse(json.stdout)
    assert.deepEqual({ ...report, checked_at: body.checked_at }, body)
    assert.ok(checked_at >= body.checked_at)
    const words = 'doctor --inside --except postgresql_durability'
    const { code, stdout } = await gatehouse(app.directory, words, options)
    assert.equal(code, 0)
    const found = [
      'warning  LOGIN_ATTEMPTS is 0: no limit for each username and address.  [login_limits]',
      '         Why   Without a limit a password can be guessed as fast as the service answers.',
      '         Mend  Leave the setting out, or set a number.',
      '         Set   LOGIN_ATTEMPTS=5',
    ]
    assert.equal(stdout.split('\n\n', 1)[0], found.join('\n'))
    assert.match(stdout, /\n\n\d+ checks: 1 warning, 2 of advice\.\n$/)
    const strict = await gatehouse(app.directory, `${words} --strict`, options)
    assert.deepEqual([strict.code, strict.stdout], [1, stdout])
    assert.match(strict.stderr, /error: the deployment has faults: see the findings\n$/)
    const left = await gatehouse(
      app.directory,
      `${words} --strict --except login_limits --except backup_none`,
      options,
    )
    assert.equal(left.code, 0)
    assert.doesNotMatch(left.stdout, /login_limits|backup_none/)
  })

  postgresOnly('compares the clock with that of PostgreSQL', async () => {
    const findings = async (behindMs: number) => {
      const clock = { now: () => Date.now() - behindMs, wait: async () => {} }
      const { stdout } = await gatehouse(app.directory, 'doctor --inside --json', { clock })
      const { findings: all } = JSON.parse(stdout)
      return all.filter(({ check }: { check: string }) => check === 'clock')
    }
    assert.deepEqual(await findings(0), [])
    const [behind] = await findings(60_000)
    assert.match(
      behind.what,
      /^The clock of this machine is (?:59|60|61) s behind that of PostgreSQL/,
    )
    assert.equal(behind.level, 'error')
  })

  test('has a name for each check, which no other check has', async () => {
    const ids = Object.values(rowsByPlace(await loadChecks(modules)))
      .flat()
      .map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    assert.ok(ids.every((id) => /^[a-z]+(?:_[a-z]+)*$/.test(id)))
  })
})
