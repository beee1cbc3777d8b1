import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import {
  holdServiceLock,
  lockFileName,
  takeServiceLock,
} from '../../src/core/workers/service-lock.ts'
import { startCluster } from './cluster.ts'
import { runCommand } from './commands.ts'
import { bearer, prepareNode } from './node.ts'
import { waitUntil } from './waiting.ts'
import { isRunning, startWorkers } from './workers.ts'

const target = 'postgres://gatehouse@127.0.0.1:9/elsewhere'
const inUse = (directory: string) => `error: ${directory} is in use: stop the service first`

for (const count of [1, 2]) {
  suite(`the lock of a service of ${count === 1 ? 'one process' : 'two workers'}`, () => {
    test('keeps move, restore and compact away until the service has ended, also by kill -9', async () => {
      const copies = mkdtempSync(join(tmpdir(), 'gatehouse-copies-'))
      const backup = join(copies, 'one.backup')
      const node = await startWorkers({ count })
      const { directory } = node
      try {
        assert.equal(statSync(join(directory, lockFileName)).mode & 0o777, 0o600)
        const made = await runCommand(directory, ['backup', backup, '--without-keys'])
        assert.equal(made.code, 0, made.stderr)
        const restore = ['restore', backup, '--without-keys', '--unverified']
        const commands = [['compact'], restore, ['move', '--to', target]]
        const assertRefused = async () => {
          for (const words of commands) {
            const { code, stdout, stderr } = await runCommand(directory, words)
            assert.deepEqual([code, stdout], [1, ''], words.join(' '))
            assert.ok(stderr.includes(inUse(directory)), stderr)
          }
        }
        await assertRefused()
        if (count > 1) {
          process.kill(Number(node.pids()[1]), 'SIGKILL')
          await assertRefused()
          await waitUntil('another', () => node.lines('event', 'sys_restart').length === 1)
          await assertRefused()
        }
        const headers = bearer(await node.token())
        assert.equal((await node.call('GET', '/users', { headers })).status, 200)
        const pids = [Number(node.service.process.pid), ...node.pids()]
        for (const pid of pids) process.kill(pid, 'SIGKILL')
        await waitUntil('the end of all processes', () => !pids.some(isRunning))
        const compact = await runCommand(directory, ['compact'])
        assert.deepEqual([compact.code, compact.stderr], [0, ''])
        const full = await runCommand(directory, restore)
        assert.ok(full.code === 1 && !full.stderr.includes('in use'), full.stderr)
        const move = await runCommand(directory, ['move', '--to', target])
        assert.ok(move.code > 0 && !move.stderr.includes('in use'), move.stderr)
      } finally {
        await node.remove()
        rmSync(copies, { recursive: true })
      }
    })
  })
}

suite('the lock of a data directory', () => {
  for (const WORKERS of ['1', '2']) {
    test(`a service with WORKERS=${WORKERS} does not start while a command has it, and says so`, async () => {
      const node = prepareNode({ env: { WORKERS } })
      const release = takeServiceLock(node.directory)
      try {
        await assert.rejects(
          node.start(),
          /exit 1 .*Gatehouse cannot start: .*gatehouse\.lock is held by a command: wait until it has ended/s,
        )
        release()
        await node.start()
        assert.equal(await node.stop(), 0)
      } finally {
        await node.remove()
      }
    })
  }

  for (const [first, second] of [
    [1, 1],
    [1, 2],
    [2, 1],
  ] as const) {
    test(`a second service does not start: WORKERS=${second} beside WORKERS=${first}`, async () => {
      const one = await startWorkers({ count: first })
      const headers = bearer(await one.token())
      const pids = [Number(one.service.process.pid), ...one.pids()]
      try {
        const two = prepareNode({
          env: { WORKERS: String(second), ADMIN_PASSWORD: 'another quiet melon' },
          directory: one.directory,
        })
        await assert.rejects(
          two.start(),
          /exit 1 .*Gatehouse cannot start: .*gatehouse\.lock is held by .* another service: stop it first/s,
        )
        assert.ok(pids.every(isRunning))
        const { body } = await one.call('GET', '/users', { headers })
        assert.equal(body.length, 1)
        assert.equal(one.lines('level', 'error').length, 0)
        assert.equal(await one.stop(), 0)
        await two.start() // the first has ended
        assert.equal(await two.stop(), 0)
        assert.equal((await runCommand(one.directory, ['compact'])).code, 0)
      } finally {
        await one.remove()
      }
    })
  }

  test('a move is refused by it alone, where no program has opened the database', async () => {
    const node = await startWorkers({ count: 1 })
    try {
      assert.equal(await node.stop(), 0)
      holdServiceLock(node.directory) // by this process, until its end
      const refused = await runCommand(node.directory, ['move', '--to', target])
      assert.equal(refused.code, 1)
      assert.ok(refused.stderr.includes(inUse(node.directory)), refused.stderr)
    } finally {
      await node.remove()
    }
  })

  test('a mistyped DATA_DIR gets neither a lock nor a database', async () => {
    const directory = join(mkdtempSync(join(tmpdir(), 'gatehouse-')), 'mistyped')
    for (const words of [['compact'], ['move', '--to', target]]) {
      const { code, stderr } = await runCommand(directory, words)
      assert.equal(code, 3, stderr)
      assert.match(stderr, /there is no database at .*: is DATA_DIR right\?/)
      assert.equal(existsSync(directory), false)
    }
  })

  test('on PostgreSQL there is none: nodes run on other machines too', async () => {
    const cluster = await startCluster()
    const DATABASE_URL = cluster.url(await cluster.createDatabase())
    const node = prepareNode({ env: { DATABASE_URL } })
    try {
      await node.start()
      assert.equal(existsSync(join(node.directory, lockFileName)), false)
      const { code, stderr } = await runCommand(node.directory, ['compact'], { DATABASE_URL })
      assert.equal(code, 0, stderr)
    } finally {
      await node.remove()
      await cluster.remove()
    }
  })
})
