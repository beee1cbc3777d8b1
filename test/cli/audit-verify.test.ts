// A database makes a difference: a command reads beside a running service, and a restore fills another.
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../app.ts'
import { proofOf, recordEvents } from '../audit-log.ts'
import { connectTo, testDatabase } from '../database.ts'
import { gatehouse } from './gatehouse.ts'

const quiet = { LOG_LEVEL: 'silent' }
const passphrase = 'lamps harbour velvet tuba ocelot quarry\n'

suite('audit verify', () => {
  test('tells what was checked, beside the running service and after it, and changes nothing', async () => {
    const service = await testApp(quiet)
    const { deps, directory, clock } = service
    const proof = await proofOf(deps)
    await recordEvents(deps, 12)
    await proof.run()
    await proof.sent()
    clock.advance(7)
    const before = await service.rows()
    const running = await gatehouse(directory, 'audit verify', { clock })
    assert.equal(running.code, 0, running.stderr)
    assert.match(
      running.stdout,
      /^\d+ records in \d+ chains?, 1 checkpoint and 0 tombstones checked\n/,
    )
    assert.match(
      running.stdout,
      /\nlast checkpoint: 1 of 2026-01-15T12:00:00\.000Z, 7 seconds old\n/,
    )
    assert.match(
      running.stdout,
      /\nlast checkpoint outside: 1 of .*, 7 seconds old, in .*audit-checkpoints\.jsonl \(1 line\)\n/,
    )
    assert.match(running.stdout, /\ncheckpoints cover every record\n$/)
    assert.deepEqual(await service.rows(), before)

    await recordEvents(deps, 1)
    const { stdout } = await gatehouse(directory, 'audit verify --json', { clock })
    const report = JSON.parse(stdout)
    assert.deepEqual(
      [report.ok, report.first, report.fork, report.problems],
      [true, null, null, []],
    )
    assert.deepEqual(report.uncovered, { records: 1, since: '2026-01-15T12:00:07.000Z' })
    assert.equal(report.last_outside.age_seconds, 7)

    await service.app.server.close()
    const stopped = await gatehouse(directory, 'audit verify', { clock })
    assert.deepEqual([stopped.code, stopped.stderr], [0, ''])
  })

  test('names the first bad record, and exits with 1', async () => {
    const service = await testApp(quiet)
    const { deps, directory, clock } = service
    await recordEvents(deps, 30)
    const proof = await proofOf(deps)
    await proof.run()
    await proof.sent()
    const bad = await deps.db
      .selectFrom('audit_records')
      .select(['number', 'id', 'chain', 'place'])
      .orderBy('number', 'desc')
      .offset(9)
      .limit(1)
      .executeTakeFirstOrThrow()
    const { number, id, chain, place } = bad
    await sql`update audit_records set reason = 'x' where number >= ${number}`.execute(deps.db)
    const ran = await gatehouse(directory, 'audit verify', { clock })
    assert.equal(ran.code, 1)
    const named = `number ${number}, id ${id}, chain ${chain}, place ${place}: the record is not what was written at this place: it was changed, swapped or inserted`
    assert.ok(ran.stdout.includes(`\nBAD ${named}\n`), ran.stdout)
    assert.ok(
      ran.stderr.includes(`the audit log is not whole: ${named} (the first of 10 problems)`),
    )
    const json = await gatehouse(directory, 'audit verify --json', { clock })
    assert.equal(json.code, 1)
    const { first, ok, problem_count } = JSON.parse(json.stdout)
    assert.deepEqual([ok, problem_count], [false, 10])
    assert.deepEqual({ ...first, detail: '' }, { what: 'changed', ...bad, detail: '' })
  })

  test('what a changed row holds does not steer the terminal', async () => {
    const service = await testApp(quiet)
    const { deps, directory, clock } = service
    await recordEvents(deps, 3)
    await sql`update audit_records set id = ${'\u001b[2J\n\u202e'}`.execute(deps.db)
    const ran = await gatehouse(directory, 'audit verify', { clock })
    assert.equal(ran.code, 1)
    assert.doesNotMatch(ran.stdout + ran.stderr, /[^\P{C}\n]/u)
    assert.match(ran.stdout, /id \\u\{1b\}\[2J\\u\{a\}\\u\{202e\}, chain/)
  })

  test('a file that cannot be opened is exit 2, a database that is not there is exit 3', async () => {
    const { directory } = await testApp(quiet)
    const ran = await gatehouse(directory, 'audit verify --checkpoints /nowhere/file')
    assert.equal(ran.code, 2)
    assert.match(ran.stderr, /\/nowhere\/file cannot be read: there is no such file or folder/)
    assert.equal((await gatehouse(directory, 'audit verify more')).code, 2)
    if (testDatabase === 'postgres') return
    const empty = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    assert.equal((await gatehouse(empty, 'audit verify')).code, 3)
  })

  test('without checkpoints outside it says what cannot be seen; a log of syslog will do', async () => {
    const service = await testApp(quiet)
    const { deps, directory, clock } = service
    const [file, log] = [join(directory, 'elsewhere.jsonl'), join(directory, 'syslog')]
    const proof = await proofOf(deps, { checkpointsFile: file })
    await recordEvents(deps, 2)
    await proof.run()
    await proof.sent()
    clock.advance(11) // the first checkpoint is outside by then
    const alone = await gatehouse(directory, 'audit verify', { clock })
    assert.match(
      alone.stdout,
      /\nno checkpoints outside .* a cut tail or an old copy cannot be seen\n/,
    )
    assert.equal(alone.code, 1)
    assert.match(alone.stderr, /not whole: there is no file of checkpoints outside, although/)
    const line = readFileSync(file, 'utf8')
    writeFileSync(
      log,
      `Jan 15 12:00:00 host other: nothing\n<109>1 - h gatehouse - - [x@1 a="b"] ${line}`,
    )
    const ran = await gatehouse(directory, `audit verify --checkpoints ${log}`, { clock })
    assert.match(ran.stdout, /\nlast checkpoint outside: 1 of .* \(2 lines\)\n/)
    assert.equal(ran.code, 0, ran.stderr)
    for (const left of ['', 'Jan 15 12:00:00 host other: nothing\n']) {
      writeFileSync(log, left)
      const emptied = await gatehouse(directory, `audit verify --checkpoints ${log}`, { clock })
      assert.equal(emptied.code, 1)
      assert.match(emptied.stderr, /the file outside has no checkpoint, although the database has/)
    }
  })

  for (const hasSameKey of [true, false]) {
    const under = hasSameKey ? 'the same master key' : 'another master key'
    test(`a restore of a backup under ${under} is told as a fork, with what to do`, async () => {
      if (testDatabase === 'postgres' && !hasSameKey) return
      const service = await testApp(quiet)
      const { deps, directory, clock } = service
      const proof = await proofOf(deps)
      const archive = join(directory, 'archive')
      const write = async (count: number) => {
        await recordEvents(deps, count)
        clock.advance(10)
        await proof.run()
        await proof.sent()
      }
      await write(5)
      const made = await gatehouse(directory, `backup ${archive}`, { stdin: passphrase, clock })
      assert.equal(made.code, 0, made.stderr)
      await write(5) // what the restore loses
      clock.advance(60)
      const file = deps.config.audit.checkpointsFile
      await service.app.server.close()

      const { directory: other, db } = await connectTo({ isEmpty: true })
      await db.destroy()
      const otherFile = join(other, 'audit-checkpoints.jsonl')
      if (hasSameKey && existsSync(join(directory, 'master.key'))) {
        copyFileSync(join(directory, 'master.key'), join(other, 'master.key'))
      }
      copyFileSync(file, otherFile)
      clock.advance(60)
      const restored = await gatehouse(other, `restore ${archive}`, { stdin: passphrase, clock })
      assert.equal(restored.code, 0, restored.stderr)

      const again = await testApp(quiet, { directory: other, clock })
      const next = await proofOf(again.deps)
      clock.advance(10)
      await recordEvents(again.deps, 1)
      await next.run()
      await next.sent()
      const ran = await gatehouse(other, 'audit verify', { clock })
      assert.equal(ran.code, 1, ran.stdout)
      assert.match(ran.stdout, /\nA FORK BY A RESTORE: the database lacks checkpoints? 2/)
      assert.match(ran.stdout, /move the file outside away and keep it/)
      const json = JSON.parse((await gatehouse(other, 'audit verify --json', { clock })).stdout)
      assert.equal(json.fork.restore.file, archive)
      assert.equal(json.problem_count, 1, JSON.stringify(json.problems))

      // What it says is done: the service begins a new file, and all is well.
      rmSync(otherFile)
      clock.advance(10)
      await recordEvents(again.deps, 1)
      await next.run()
      await next.sent()
      const well = await gatehouse(other, 'audit verify', { clock })
      assert.equal(well.code, 0, well.stdout)
      assert.equal(/of another master key/.test(well.stdout), !hasSameKey)
    })
  }
})
