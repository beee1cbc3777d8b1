// A database makes a difference: nodes share the claim of a run, and the clock that decides.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { databaseTime } from '../../src/core/database/database-time.ts'
import { heartbeatMs, leaseMs } from '../../src/core/runs/runs.ts'
import { createBackups } from '../../src/extras/backup/runs.ts'
import { modules } from '../../src/modules.ts'
import { type TestApp, testApp } from '../app.ts'
import { restore } from '../backups.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { fixedClock } from '../clock.ts'
import { folder, ofVersion1, passphrase, place, restoring, rowsOf } from '../copies.ts'
import { databaseSettings, postgresOnly, sqliteOnly } from '../database.ts'
import { makeReadOnly } from '../read-only-folder.ts'
import { assertRefusal } from '../refusal.ts'
import { until } from '../until.ts'
import { seedUsers } from '../users.ts'

const hourMs = 3_600_000
const minuteMs = 60_000
const ours = /^gatehouse-\d{8}T\d{6}Z-[\w-]{8}\.backup$/

async function appWith(more: Record<string, string> = {}) {
  const directory = folder()
  const env = { BACKUP_DIR: directory, BACKUP_PASSPHRASE: passphrase, ...more }
  const app = await testApp(env)
  const look = async (stop?: AbortSignal) => {
    const job = app.app.jobs.find(({ name }) => name === 'backups')
    assert.ok(job)
    await job.run(stop)
  }
  const runs = async () => app.deps.db.selectFrom('backup_runs').selectAll().orderBy('id').execute()
  /** As if all runs had been earlier: the clock of PostgreSQL cannot be set. */
  const passed = async (milliseconds: number) =>
    app.deps.db
      .updateTable('backup_runs')
      .set((eb) => ({
        started_at: eb('started_at', '-', milliseconds),
        locked_until: eb('locked_until', '-', milliseconds),
        finished_at: eb('finished_at', '-', milliseconds),
      }))
      .execute()
  return { app, env, directory, look, runs, passed }
}

const ready = async (app: TestApp) => {
  app.clock.advance(6)
  const { status, body } = await app.call('GET', '/health/ready')
  return [status, body]
}

const eventsOf = (app: TestApp) =>
  app.log.filter(({ event }) => String(event).startsWith('backup_')).map(({ event }) => event)

suite('a backup by itself', async () => {
  test('is made when none is there: encrypted, private, recorded, and a restore takes it', async () => {
    const { app, directory, look, runs } = await appWith()
    await look()
    const [name = '', ...others] = readdirSync(directory)
    assert.deepEqual(others, [])
    assert.match(name, ours)
    const whole = readFileSync(join(directory, name))
    assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600)
    assert.equal(JSON.parse(whole.toString('latin1').split('\n', 1)[0] ?? '').version, 2)
    const [run] = await runs()
    const sha256 = createHash('sha256').update(whole).digest('hex')
    assert.deepEqual(
      [run?.state, run?.file, run?.bytes, run?.sha256, run?.detail],
      ['done', name, whole.length, sha256, null],
    )
    const [told] = app.log.filter(({ event }) => event === 'backup_made')
    assert.deepEqual([told?.file, told?.sha256, told?.by], [name, sha256, 'job'])
    const { deps } = await place()
    await restore(deps, join(directory, name), { ...restoring, keepLogins: true })
    const [before, after] = [await rowsOf(app), await rowsOf({ deps })]
    assert.deepEqual([after.users, after.passwords], [before.users, before.passwords])
    assert.deepEqual(await ready(app), [200, { status: 'ready' }])
  })

  test('is made again after BACKUP_EVERY_HOURS, not before, and the newest BACKUP_KEEP stay', async () => {
    const { app, directory, look, passed } = await appWith({
      BACKUP_EVERY_HOURS: '6',
      BACKUP_KEEP: '2',
    })
    const strange = 'gatehouse-20200101T000000Z-abcdefgh.backup'
    for (const name of [strange, `${strange}.partial`, 'notes.txt']) {
      writeFileSync(join(directory, name), 'of another service')
    }
    const seen: string[][] = []
    for (let round = 0; round < 4; round += 1) {
      await look()
      await passed(6 * hourMs - minuteMs)
      await look()
      seen.push(readdirSync(directory).filter((name) => ours.test(name) && name !== strange))
      await passed(minuteMs + 1000)
      app.clock.advance(1) // names are in the order of time
    }
    assert.deepEqual(
      seen.map(({ length }) => length),
      [1, 2, 2, 2],
    )
    const kept = seen.map((names) => new Set(names))
    assert.equal(kept[3]?.intersection(kept[2] ?? new Set()).size, 1, 'the oldest goes')
    for (const name of [strange, `${strange}.partial`, 'notes.txt']) {
      assert.equal(readFileSync(join(directory, name), 'utf8'), 'of another service')
    }
    const states = await app.deps.db.selectFrom('backup_runs').select('state').execute()
    assert.deepEqual(states.map(({ state }) => state).sort(), [
      'done',
      'done',
      'removed',
      'removed',
    ])
    assert.equal(eventsOf(app).filter((event) => event === 'backup_removed').length, 2)
  })

  test('is made by one node of several that look at the same time', async () => {
    const { app, directory, runs, env } = await appWith()
    const nodes = [app.deps]
    for (let count = 0; count < 3; count += 1)
      nodes.push({ ...app.deps, db: (await place(env, app.directory)).deps.db })
    await Promise.all(
      nodes.map((deps) => createBackups({ ...deps, config: app.deps.config, modules }).run()),
    )
    assert.equal(readdirSync(directory).length, 1)
    assert.deepEqual(
      (await runs()).map(({ state }) => state),
      ['done'],
    )
  })

  postgresOnly('is due by the clock of the database, whatever those of the nodes say', async () => {
    const { app, directory, look, env } = await appWith()
    await look()
    for (const clock of [fixedClock('1999-01-01T00:00:00Z'), fixedClock('2199-01-01T00:00:00Z')]) {
      const { deps } = await place(env, app.directory, clock)
      await createBackups({ ...app.deps, db: deps.db, clock, modules }).run()
      assert.equal(readdirSync(directory).length, 1)
    }
  })

  test('of a node that was killed is taken over 30 seconds later, and nothing half is left', async () => {
    assert.equal(leaseMs, 30_000)
    const { app, directory, look, runs, passed } = await appWith()
    const file = 'gatehouse-20260115T120000Z-deadbeef.backup'
    const now = await databaseTime(app.deps.db, app.clock)
    await app.deps.db
      .insertInto('backup_runs')
      .values({
        started_at: now,
        node: 'gone',
        state: 'running',
        locked_until: now + leaseMs,
        file,
      })
      .execute()
    writeFileSync(join(directory, `${file}.partial`), 'half')
    await look()
    assert.deepEqual(readdirSync(directory), [`${file}.partial`], 'its lease still counts')
    await passed(leaseMs - 1000)
    await look()
    assert.deepEqual(readdirSync(directory), [`${file}.partial`], 'and still, a second before')
    await passed(2000)
    await look()
    const [run, ...others] = await runs()
    assert.deepEqual([run?.state, run?.detail, others], ['done', null, []])
    assert.deepEqual(readdirSync(directory), [run?.file])
    assert.notEqual(run?.file, file)
    assert.deepEqual(eventsOf(app), ['backup_made'])
  })

  test('that ends a second process has failed, and is not begun a third time', async () => {
    const { app, directory, look, runs } = await appWith()
    const now = await databaseTime(app.deps.db, app.clock)
    const detail = 'the node gone ended before the backup was made'
    await app.deps.db
      .insertInto('backup_runs')
      .values({ started_at: now, node: 'gone', state: 'running', locked_until: 0, file: 'x' })
      .execute()
    await app.deps.db.updateTable('backup_runs').set({ detail }).execute()
    await look()
    const [dead, ...others] = await runs()
    assert.deepEqual([dead?.state, dead?.detail, dead?.file, others], ['failed', detail, null, []])
    assert.deepEqual([readdirSync(directory), eventsOf(app)], [[], ['backup_failed']])
  })

  test('of a slow process stays with it, and of one that stood still it is the work of another', async (t) => {
    const { app, directory, env, runs } = await appWith()
    const { db } = (await place(env, app.directory)).deps
    const looks = createBackups({ ...app.deps, db, modules })
    const gate = Promise.withResolvers<void>()
    let isBegun = false
    let held: object | undefined
    // The first query that reads rows after the claim waits.
    const slow = app.deps.db.withPlugin({
      transformQuery: ({ node, queryId }) => {
        isBegun ||= node.kind === 'InsertQueryNode'
        if (node.kind === 'SelectQueryNode' && isBegun) held ??= queryId
        return node
      },
      transformResult: async ({ queryId, result }) => {
        if (queryId === held) await gate.promise
        return result
      },
    })
    t.mock.timers.enable({ apis: ['setInterval'] })
    const making = createBackups({ ...app.deps, db: slow, modules }).run()
    await until(async () => (await runs())[0]?.state === 'running')
    const [begun] = await runs()
    const lockedUntil = async () => Number((await runs())[0]?.locked_until)
    const passes = (milliseconds: number) =>
      app.deps.db
        .updateTable('backup_runs')
        .set((eb) => ({ locked_until: eb('locked_until', '-', milliseconds) }))
        .execute()
    for (let left = 4; left > 0; left -= 1) {
      await passes(leaseMs - 2000)
      const before = await lockedUntil()
      t.mock.timers.tick(heartbeatMs)
      await until(async () => (await lockedUntil()) > before + 20_000)
      await looks.run()
      assert.deepEqual(
        (await runs()).map(({ id, state, file }) => ({ id, state, file })),
        [{ id: begun?.id, state: 'running', file: begun?.file }],
      )
    }
    await passes(leaseMs + 1000)
    app.clock.advance(1)
    await looks.run() // it makes the same run from the beginning
    const [taken] = await runs()
    assert.deepEqual([taken?.id, taken?.state], [begun?.id, 'done'])
    gate.resolve()
    await making
    assert.deepEqual(await runs(), [taken], 'the process that stood still changes nothing')
    assert.deepEqual(readdirSync(directory), [taken?.file])
  })

  test('of a node that was killed between its name and its row is a good one', async () => {
    const { app, directory, look, runs, passed } = await appWith()
    await look()
    await app.deps.db
      .updateTable('backup_runs')
      .set({ state: 'running', locked_until: 0, finished_at: null })
      .execute()
    await look()
    assert.deepEqual(
      (await runs()).map(({ state }) => state),
      ['done'],
    )
    assert.equal(readdirSync(directory).length, 1)
    await passed(0)
  })

  sqliteOnly('that another node has finished meanwhile keeps its file', async () => {
    const { app, directory, look, runs } = await appWith()
    // As another node does that finds the file whole, a moment before the row is this node's to finish.
    await sql`
      create trigger taken before update of state on backup_runs
      when old.state = 'running' and new.state = 'done'
      begin
        update backup_runs set state = 'done', locked_until = 0 where id = old.id;
        select raise(ignore);
      end`.execute(app.deps.db)
    await look()
    const [run] = await runs()
    assert.equal(run?.state, 'done')
    assert.deepEqual(readdirSync(directory), [run?.file])
  })

  sqliteOnly(
    'of a node that was killed before its clock was set back blocks no other',
    async () => {
      const { app, look, runs } = await appWith()
      const now = app.clock.now()
      const file = 'gatehouse-20260115T120000Z-deadbeef.backup'
      await app.deps.db
        .insertInto('backup_runs')
        .values({
          ...{ started_at: now + 1000 * hourMs, node: 'gone', state: 'running', file },
          locked_until: now + 1000 * hourMs + leaseMs,
        })
        .execute()
      await look()
      assert.deepEqual(
        (await runs()).map(({ state }) => state),
        ['done'],
      )
    },
  )

  test('that another node took over gets no name', async () => {
    const { app, directory, look, runs } = await appWith()
    await seedUsers(app, 5000)
    const looking = look()
    while ((await runs()).length === 0) await new Promise(setImmediate)
    await app.deps.db.updateTable('backup_runs').set({ state: 'failed' }).execute()
    await looking
    assert.deepEqual(readdirSync(directory), [])
    assert.deepEqual(
      (await runs()).map(({ state }) => state),
      ['failed'],
    )
    assert.ok(!eventsOf(app).includes('backup_made'))
  })

  test('that a stop of the service breaks off leaves nothing, and is made at the next start', async () => {
    const { app, directory, look, runs } = await appWith()
    await seedUsers(app, 5000)
    const stop = new AbortController()
    const looking = look(stop.signal)
    while (!readdirSync(directory).some((name) => name.endsWith('.partial'))) {
      await new Promise(setImmediate)
    }
    stop.abort()
    await looking
    assert.deepEqual(readdirSync(directory), [])
    assert.deepEqual(
      (await runs()).map(({ state }) => state),
      ['waiting'],
    )
    assert.deepEqual(eventsOf(app), [], 'nothing has failed')
    await look()
    assert.deepEqual(
      (await runs()).map(({ state }) => state),
      ['done'],
    )
  })
})

suite('a folder of backups that is no good', async () => {
  type Break = (directory: string) => (() => void) | null
  const gone: Break = (directory) => {
    rmSync(directory, { recursive: true })
    return () => mkdirSync(directory)
  }
  const replacedBy =
    (make: (path: string) => void): Break =>
    (directory) => {
      rmSync(directory, { recursive: true })
      make(directory)
      return () => {
        rmSync(directory)
        mkdirSync(directory)
      }
    }
  const broken: Record<string, readonly [Break, RegExp]> = {
    gone: [gone, /^BACKUP_DIR is not there: is its disk mounted\?/],
    'a file': [replacedBy((path) => writeFileSync(path, 'x')), /^BACKUP_DIR is no folder/],
    'a link to nothing': [
      replacedBy((path) => symlinkSync('/nonexistent/here', path)),
      /^BACKUP_DIR is not there/,
    ],
    'a link to itself': [
      replacedBy((path) => symlinkSync(path, path)),
      /^BACKUP_DIR is a symbolic link that leads nowhere/,
    ],
    'read-only': [
      (directory) => makeReadOnly(directory),
      /^BACKUP_DIR (is read-only|cannot be written)/,
    ],
  }
  for (const [what, [breakIt, detail]] of Object.entries(broken)) {
    test(`${what}: told, tried again with back-off, nothing half left, and mended`, async (t) => {
      const { app, directory, look, runs, passed } = await appWith()
      if (what === 'read-only') writeFileSync(join(directory, 'gatehouse.db'), '')
      const mend = breakIt(directory)
      if (!mend) return t.skip('this container mounts nothing')
      try {
        await look()
        await look()
        const [first, ...more] = await runs()
        assert.deepEqual([first?.state, more], ['failed', []], 'not at once again')
        assert.match(first?.detail ?? '', detail)
        const [told] = app.log.filter(({ event }) => event === 'backup_failed')
        assert.deepEqual([told?.level, told?.attempts, told?.detail], ['error', 1, first?.detail])
        assert.deepEqual(await ready(app), [200, { status: 'ready', warnings: ['backup_failed'] }])
        await passed(minuteMs + 1000)
        await look()
        await passed(2 * minuteMs)
        await look()
        assert.equal((await runs()).length, 2, 'the second wait is longer')
        await passed(3 * minuteMs + 1000)
      } finally {
        mend()
      }
      await look()
      assert.deepEqual(
        (await runs()).map(({ state }) => state),
        ['failed', 'failed', 'done'],
      )
      assert.equal(readdirSync(directory).filter((name) => name.endsWith('.partial')).length, 0)
      assert.deepEqual(await ready(app), [200, { status: 'ready' }])
    })
  }

  test('a symbolic link to a folder is that folder', async () => {
    const { directory, look } = await appWith()
    const other = folder()
    rmSync(directory, { recursive: true })
    symlinkSync(other, directory)
    await look()
    assert.equal(readdirSync(other).length, 1)
  })

  test('old backups stay while no new one is good', async () => {
    const { directory, look, passed, app, runs } = await appWith({ BACKUP_KEEP: '1' })
    await look()
    const before = readdirSync(directory)
    await passed(25 * hourMs)
    await app.deps.db.updateTable('keys').set({ sealed: 'AAAA' }).execute()
    await look()
    assert.deepEqual(readdirSync(directory), before)
    assert.match((await runs()).at(-1)?.detail ?? '', /key/)
  })

  test('an old one that is late is warned of, though no attempt has failed', async () => {
    const { look, passed, app } = await appWith()
    await look()
    await passed(36 * hourMs + minuteMs)
    assert.deepEqual(await ready(app), [200, { status: 'ready', warnings: ['backup_late'] }])
  })
})

suite('/api/admin/backups', async () => {
  test('shows the runs, and has one made now, once', async () => {
    const { app, look, directory } = await appWith()
    const headers = await app.session(app.admin)
    const empty = await app.call('GET', '/api/admin/backups', { headers })
    assert.deepEqual(empty.body, { page: 1, limit: 10, total: 0, data: [] })
    await look()
    const asked = await app.call('POST', '/api/admin/backups', { headers })
    assert.deepEqual([asked.status, asked.body.state, asked.body.file], [202, 'waiting', null])
    const again = await app.call('POST', '/api/admin/backups', { headers })
    assert.deepEqual([again.status, again.body.id], [202, asked.body.id])
    await look()
    const { body } = await app.call('GET', '/api/admin/backups', { headers })
    assert.deepEqual(
      body.data.map(({ state }: { state: string }) => state),
      ['done', 'done'],
    )
    assert.equal(body.data[0].id, asked.body.id)
    assert.equal(readdirSync(directory).length, 2)
  })

  test('with BACKUP_DIR takes no passphrase of the request', async () => {
    const { app } = await appWith()
    const headers = await app.session(app.admin)
    for (const json of [{ passphrase }, { unencrypted: true }]) {
      const message = 'must be absent: BACKUP_PASSPHRASE encrypts the backups of BACKUP_DIR'
      const details = [{ path: ['passphrase'], message }]
      const answer = await app.call('POST', '/api/admin/backups', { headers, json })
      assertRefusal(answer, 400, 'Validation failed', '', { details })
    }
    assert.deepEqual((await app.rows()).backup_runs, [])
  })
})

suite('/api/admin/backups without BACKUP_DIR', async () => {
  const app = await testApp()
  const headers = await app.session(app.admin)
  const made = join(app.directory, 'backups')
  const ask = (json?: object) =>
    app.call('POST', '/api/admin/backups', { headers, ...(json && { json }) })
  const newest = async () => (await app.call('GET', '/api/admin/backups', { headers })).body.data[0]
  const isDone = async () => ['done', 'failed'].includes((await newest()).state)

  test('asks for a passphrase, or for the word that there is none', async () => {
    const before = await app.rows()
    for (const [json, message] of [
      [undefined, 'is required, or else unencrypted: true'],
      [{}, 'is required, or else unencrypted: true'],
      [{ unencrypted: false }, 'is required, or else unencrypted: true'],
      [{ passphrase, unencrypted: true }, 'must be absent with unencrypted: true'],
      [{ passphrase: 'too short' }, 'must have at least 12 characters'],
      [
        { passphrase: 'passwordpassword' },
        'could be guessed: take six words that dice choose, or what `openssl rand -base64 16` prints',
      ],
    ] as const) {
      const details = [{ path: ['passphrase'], message }]
      assertRefusal(await ask(json), 400, 'Validation failed', message, { details })
    }
    assert.deepEqual(await app.rows(), before)
    assert.ok(!existsSync(made))
  })

  test('makes it at this node, private and encrypted, and keeps the passphrase nowhere', async () => {
    const asked = await ask({ passphrase })
    assert.deepEqual([asked.status, asked.body.state], [202, 'running'])
    await until(isDone)
    const { file, state, bytes, sha256 } = await newest()
    assert.deepEqual([state, readdirSync(made)], ['done', [file]])
    const whole = readFileSync(join(made, file))
    assert.equal(whole.length, bytes)
    assert.equal(createHash('sha256').update(whole).digest('hex'), sha256)
    assert.equal(statSync(made).mode & 0o777, 0o700)
    assert.equal(statSync(join(made, file)).mode & 0o777, 0o600)
    assert.ok(!whole.includes('admin'))
    const everywhere = JSON.stringify([await app.rows(), app.log])
    assert.ok(!everywhere.includes(passphrase))
    const { deps } = await place()
    await restore(deps, join(made, file), { ...restoring, keepLogins: true })
    const [before, after] = [await rowsOf(app), await rowsOf({ deps })]
    assert.deepEqual([after.users, after.passwords], [before.users, before.passwords])
    assert.ok(eventsOf(app).includes('backup_made'))
  })

  test('makes one without encryption, which has no keys', async () => {
    const before = readdirSync(made)
    assert.equal((await ask({ unencrypted: true })).status, 202)
    await until(isDone)
    assert.equal((await newest()).state, 'done')
    const [file = ''] = readdirSync(made).filter((name) => !before.includes(name))
    const whole = readFileSync(join(made, file))
    assert.match(whole.subarray(0, 200).toString(), /"format":"gatehouse-backup","version":1/)
    assert.equal(readdirSync(made).length, 2, 'no older one is removed')
  })

  test('while another is being made, there or at another node, is 409', async () => {
    const now = await databaseTime(app.deps.db, app.clock)
    const run = { state: 'running', node: 'other', started_at: now, locked_until: now + leaseMs }
    const { id } = await app.deps.db
      .insertInto('backup_runs')
      .values(run as never)
      .returning('id')
      .executeTakeFirstOrThrow()
    const files = readdirSync(made)
    assertRefusal(await ask({ passphrase }), 409, 'Backup under way')
    assert.deepEqual(readdirSync(made), files)
    // The other node has died: its run is made here.
    await app.deps.db.updateTable('backup_runs').set({ locked_until: 1 }).execute()
    assert.deepEqual((await ask({ passphrase })).body.id, id)
    await until(isDone)
    assert.equal((await newest()).state, 'done')
  })

  test('says why it fails', async () => {
    rmSync(made, { recursive: true })
    writeFileSync(made, 'no folder')
    assert.equal((await ask({ passphrase })).status, 202)
    await until(isDone)
    assert.match((await newest()).detail, /^BACKUP_DIR is no folder/)
    rmSync(made)
  })
})

suite('the commands of backups', async () => {
  const { app, directory, look } = await appWith()
  await look()
  const [name = ''] = readdirSync(directory)
  const path = join(directory, name)
  const env = await databaseSettings(app.directory)

  test('gatehouse backup list shows the runs', async () => {
    const { code, stdout } = await gatehouse(app.directory, 'backup list --json', { env })
    assert.equal(code, 0)
    const [run] = JSON.parse(stdout)
    assert.deepEqual([run.state, run.file], ['done', name])
  })

  test('gatehouse backup verify reads back what a restore would take, and nothing else', async () => {
    const nowhere = folder()
    const run = (words: string, stdin = `${passphrase}\n`) =>
      gatehouse(nowhere, words, { stdin, env: { BACKUP_PASSPHRASE: passphrase, DATABASE_URL: '' } })
    const good = await run(`backup verify ${path}`)
    assert.deepEqual([good.code, good.stderr], [0, ''])
    assert.match(good.stdout, /^good, as of 2026-.*users; its SHA-256 is [0-9a-f]{64}\n$/)
    assert.equal((await run(`backup verify --configured ${path}`, '')).code, 0)
    const wrong = await run(`backup verify ${path}`, 'another passphrase of tests\n')
    assert.equal(wrong.code, 1)
    assert.match(wrong.stderr, /the passphrase is wrong/)
    const bytes = readFileSync(path)
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 200) ^ 1, bytes.length - 200)
    const bad = join(folder(), 'bad')
    writeFileSync(bad, bytes)
    const damaged = await run(`backup verify ${bad}`)
    assert.equal(damaged.code, 1)
    assert.match(damaged.stderr, /is damaged or not whole/)
    assert.equal((await run(`backup verify ${ofVersion1.path}`)).code, 0)
    assert.equal((await run(`backup verify --unverified ${ofVersion1.withoutKeys}`, '')).code, 0)
    assert.equal((await run(`backup verify --unverified ${path}`, '')).code, 1)
    assert.equal((await run(`backup verify --unverified --configured ${path}`, '')).code, 2)
    assert.deepEqual(readdirSync(nowhere), [])
    assert.ok(existsSync(path))
  })
})
