import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { suite, test } from 'node:test'
import { bearer, type ServiceNode } from './node.ts'
import { databasePath } from './sqlite-files.ts'
import { waitUntil } from './waiting.ts'
import { isRunning, startWorkers } from './workers.ts'

/** docs/command-line.md */
const exitCode = 6

const replaceBy = (copy: (path: string) => void) => (path: string) => {
  copy(`${path}.new`)
  renameSync(`${path}.new`, path)
}

/** What an operator, a backup or another program does to the files. */
const harms: Readonly<Record<string, (database: string) => void>> = {
  'the log is deleted': (database) => rmSync(`${database}-wal`),
  'another file takes the place of the log': (database) =>
    replaceBy((path) => copyFileSync(`${database}-wal`, path))(`${database}-wal`),
  'the index of the log is deleted': (database) => rmSync(`${database}-shm`),
  'another file takes the place of the database': (database) =>
    replaceBy((path) => copyFileSync(database, path))(database),
}

const json = { name: 'N', email: 'n@example.org' }
const refused = { error: 'Service unavailable' }
const fatal = (node: ServiceNode) => node.service.output().includes('"level":"fatal"')

suite('a file of the database is replaced under the service', { concurrency: 3 }, () => {
  for (const [name, harm] of Object.entries(harms)) {
    test(`${name}: all is refused, and told, and the process ends; the database is left alone`, async () => {
      const node = await startWorkers({ count: 1 })
      try {
        const headers = bearer(await node.token())
        assert.equal((await node.call('POST', '/users', { headers, json })).status, 201)
        const database = databasePath(node.directory)
        harm(database)
        const before = readFileSync(database)
        await waitUntil('a line of the log', () => fatal(node))
        // All at once: in twelve seconds the process is gone.
        const [live, doctor, status, ...answers] = await Promise.all([
          node.call('GET', '/health/live'),
          node.call('GET', '/api/admin/doctor', { headers }),
          node.call('GET', '/api/admin/status', { headers }),
          node.call('GET', '/health/ready'),
          node.call('POST', '/users', { headers, json }),
          node.call('GET', '/users', { headers }),
          node.call('GET', '/api/me', { headers }),
          node.call('POST', '/login', { json: { username: 'admin', password: 'none' } }),
        ])
        for (const { status, body } of answers) assert.deepEqual([status, body], [503, refused])
        assert.equal(live.status, 200)
        assert.deepEqual(
          doctor.body.findings
            .filter(({ level }: { level: string }) => level === 'error')
            .map(({ check }: { check: string }) => check),
          ['database_files'],
        )
        assert.equal(status.body.readiness.reason, 'replaced')
        assert.equal(await node.ended(), exitCode)
        assert.ok(readFileSync(database).equals(before), 'nothing of the log has reached the file')
        const [told] = node.lines('level', 'fatal')
        assert.deepEqual([told?.exit_code, String(told?.file).startsWith(database)], [6, true])
        assert.equal(node.lines('reason', 'replaced').length, 1, 'readiness')
        assert.deepEqual(
          node.lines('event', 'sys_crash').map(({ reason }) => reason),
          ['databaseReplaced'],
        )
      } finally {
        await node.remove()
      }
    })
  }

  test('a stop ends it at once, with the same code and without closing the database', async () => {
    const node = await startWorkers({ count: 1 })
    try {
      const headers = bearer(await node.token())
      assert.equal((await node.call('POST', '/users', { headers, json })).status, 201)
      const database = databasePath(node.directory)
      rmSync(`${database}-wal`)
      const before = readFileSync(database)
      // The stop may come before the job has noticed anything.
      assert.equal(await node.stop(), exitCode)
      assert.ok(readFileSync(database).equals(before))
    } finally {
      await node.remove()
    }
  })

  test('two workers: both refuse, none is replaced, and the service ends with the same code', async () => {
    const node = await startWorkers({ count: 2 })
    try {
      const headers = bearer(await node.token())
      assert.equal((await node.call('POST', '/users', { headers, json })).status, 201)
      const pids = node.pids()
      const database = databasePath(node.directory)
      rmSync(`${database}-wal`)
      const before = readFileSync(database)
      await waitUntil('both', () => node.lines('event', 'sys_crash').length === 2)
      const paths = ['/users', '/api/me', '/health/ready']
      const asked = paths.map((path) => node.atEach('GET', path, { headers }))
      for (const { status, body } of (await Promise.all(asked)).flat()) {
        assert.deepEqual([status, body], [503, refused])
      }
      assert.equal(await node.ended(), exitCode)
      await waitUntil('the end of the workers', () => !pids.some(isRunning))
      assert.ok(readFileSync(database).equals(before))
      assert.deepEqual(node.lines('event', 'sys_restart'), [])
      assert.equal(node.lines('event', 'sys_startup').length, 1)
    } finally {
      await node.remove()
    }
  })

  test('the next start takes the files that are there, with what the log had brought into them', async () => {
    const node = await startWorkers({ count: 1 })
    try {
      const headers = bearer(await node.token())
      assert.equal((await node.call('POST', '/users', { headers, json })).status, 201)
      assert.equal(await node.stop(), 0) // SQLite brings all of the log into the file
      const again = await startWorkers({ count: 1, directory: node.directory })
      rmSync(`${databasePath(node.directory)}-wal`)
      assert.equal(await again.stop(), exitCode)
      const last = await startWorkers({ count: 1, directory: node.directory })
      assert.equal((await last.call('GET', '/users', { headers })).body.length, 2)
      assert.equal((await last.call('POST', '/users', { headers, json })).status, 201)
      assert.equal(await last.stop(), 0)
    } finally {
      await node.remove()
    }
  })
})
