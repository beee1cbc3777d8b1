import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { passphrase } from '../copies.ts'
import { runCommand } from './commands.ts'
import { bearer } from './node.ts'
import { deletedFiles, lastingLocks, lookFromOutside } from './sqlite-files.ts'
import { waitUntil } from './waiting.ts'
import { isRunning, startWorkers, type WorkersNode } from './workers.ts'

const thief = { username: 'thief', password: 'seven lamps in a quiet harbour' }

/** The processes that have the database open: with one worker the service itself, else the workers. */
function owners(node: WorkersNode, count: number): number[] {
  return count === 1 ? [Number(node.service.process.pid)] : node.pids()
}

/** The paths of GET routes without parameters, from docs/routes.txt, that monitoring and operators ask. */
const paths = readFileSync(join(import.meta.dirname, '../../docs/routes.txt'), 'utf8')
  .split('\n')
  .map((line) => line.split(/\s+/))
  .filter(([method, path = '']) => method === 'GET' && !path.includes(':'))
  .map(([, path = '']) => path)
  .filter((path) => /\/(?:health|metrics|doctor|status|statistics|backups?)(?:\/|$)/.test(path))

for (const count of [1, 2]) {
  suite(`the database file under ${count === 1 ? 'one process' : 'two workers'}`, () => {
    test('no route of monitoring gives up a lock of the process, nor does a thread', async () => {
      const BACKUP_DIR = mkdtempSync(join(tmpdir(), 'gatehouse-backups-'))
      const node = await startWorkers({
        count,
        env: { BACKUP_DIR, BACKUP_PASSPHRASE: passphrase },
      })
      try {
        const headers = bearer(await node.token())
        await node.atEach('GET', '/health/live')
        const held = () => owners(node, count).map((pid) => lastingLocks(pid, node.directory))
        const before = held()
        for (const locks of before) assert.equal(locks.length, 2, String(locks))
        assert.ok(paths.length >= 9, String(paths))
        for (const path of paths) {
          for (const { status } of await node.atEach('GET', path, { headers })) {
            assert.ok([200, 400].includes(status), `${path} ${status}`)
          }
          assert.deepEqual(held(), before, path)
        }
        const newest = async () => {
          const { body } = await node.caller.call('GET', '/api/admin/backups', { headers })
          return body.data[0]?.state
        }
        await waitUntil('a backup', async () => (await newest()) === 'done')
        assert.deepEqual(held(), before, 'the thread of a backup')
        const verification = '/api/admin/audit/verification'
        const begun = await node.caller.call('POST', verification, { headers })
        assert.equal(begun.status, 202)
        await waitUntil('a verification', async () => {
          const { body } = await node.caller.call('GET', verification, { headers })
          return body.last?.state === 'done'
        })
        assert.deepEqual(held(), before, 'the thread of a verification')
      } finally {
        await node.remove()
        rmSync(BACKUP_DIR, { recursive: true })
      }
    })

    test('after probes and a look from outside, a revocation by command and all writes count', async () => {
      const node = await startWorkers({ count })
      try {
        const headers = bearer(await node.token())
        const account = { ...thief, roles: ['USER'], name: 'Thief', email: 'thief@example.org' }
        const made = await node.caller.call('POST', '/api/admin/accounts', {
          headers,
          json: account,
        })
        assert.equal(made.status, 201)
        const login = await node.login('token', thief)
        const stolen = bearer(login.body.token)
        for (const path of [
          '/health/ready',
          '/metrics',
          '/api/admin/doctor',
          '/api/admin/status',
        ]) {
          await node.atEach('GET', path, { headers })
        }
        for (const { status } of await node.atEach('GET', '/api/me', { headers: stolen })) {
          assert.equal(status, 200)
        }
        lookFromOutside(node.directory)
        for (const pid of owners(node, count)) assert.deepEqual(deletedFiles(pid), [])
        const locked = await runCommand(node.directory, ['account', 'lock', thief.username])
        assert.equal(locked.code, 0, locked.stderr)
        for (const { status } of await node.atEach('GET', '/api/me', { headers: stolen })) {
          assert.equal(status, 401)
        }
        const json = { name: 'Kept', email: 'kept@example.org' }
        const kept = await node.caller.call('POST', '/users', { headers, json })
        assert.equal(kept.status, 201)
        const pids = [Number(node.service.process.pid), ...node.pids()]
        for (const pid of pids) process.kill(pid, 'SIGKILL')
        await waitUntil('the end of all processes', () => !pids.some(isRunning))
        const again = await startWorkers({ count, directory: node.directory })
        try {
          const path = `/users/${kept.body.id}`
          const { body } = await again.caller.call('GET', path, { headers })
          assert.equal(body.name, 'Kept')
          for (const { status } of await again.atEach('GET', '/api/me', { headers: stolen })) {
            assert.equal(status, 401)
          }
        } finally {
          await again.remove()
        }
      } finally {
        await node.remove()
      }
    })
  })
}
