import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import { auditProblems } from './audit.ts'
import { limitFileSize, mountSmallDisk, sizeOf } from './disks.ts'
import { callerOf } from './http.ts'
import { integrityOf } from './kills.ts'
import { admin, basic, bearer, isReady, type ServiceNode, startNode } from './node.ts'
import { waitUntil } from './waiting.ts'

const holeBytes = 100_000_000
const json = { name: 'n'.repeat(100), email: `${'e'.repeat(60)}@example.org` }

/** Writes until one is refused; answers how many were not. */
async function writeUntilFull({ caller }: ServiceNode, headers: Record<string, string>) {
  for (let count = 0; count < 20_000; count += 1) {
    const { status, body } = await caller.call('POST', '/users', { headers, json })
    if (status === 201) continue
    assert.deepEqual([status, body], [503, { error: 'Service unavailable' }])
    return count
  }
  throw new Error('the disk is never full')
}

/** Does something until it is 503; each time before it is 200. */
async function untilRefused(work: () => Promise<number>, times: number, what: string) {
  for (let left = times; left > 0; left -= 1) {
    const status = await work()
    if (status === 503) return
    assert.equal(status, 200, what)
  }
  assert.fail(what)
}

/** What a full disk may and may not do, and that all is well when there is room again. */
async function assertServesWithoutRoom(
  node: ServiceNode,
  { fill, makeRoom }: { fill(): void; makeRoom(): void },
) {
  const { caller } = node
  const headers = bearer(await node.token())
  const revoked = bearer(await node.token())
  assert.equal((await caller.call('POST', '/logout', { headers: revoked })).status, 200)
  const spare = await Promise.all(Array.from({ length: 12 }, () => node.token()))
  fill()
  const written = await writeUntilFull(node, headers)
  const total = async () =>
    (await caller.call('GET', '/users?limit=1', { headers: basic })).body.total
  assert.equal((await caller.call('GET', '/api/me', { headers })).status, 200)
  assert.equal((await caller.call('GET', '/api/me', { headers: revoked })).status, 401)
  assert.equal((await caller.call('GET', '/users?limit=1', { headers })).body.total, written + 1)
  // A user takes more room than a login, and a login more than a logout: the last of it goes to those.
  const logIn = async () => (await node.login('session')).status
  await untilRefused(logIn, 100, 'no login whose place cannot be taken')
  const logOut = async () => {
    const headers = bearer(spare.pop() ?? '')
    return (await caller.call('POST', '/logout', { headers })).status
  }
  await untilRefused(logOut, spare.length, 'no logout that is not stored')
  assert.equal((await caller.call('POST', '/logout', { headers })).status, 503)
  assert.equal(node.service.process.exitCode, null)
  makeRoom()
  await waitUntil('room', async () => (await node.login('session')).status === 200)
  assert.equal(await isReady(node), true)
  assert.equal((await caller.call('POST', '/users', { headers, json })).status, 201)
  assert.equal(await total(), written + 2, 'nothing of what was refused is there')
  assert.equal(await node.stop(), 0)
  assert.equal(integrityOf(node.directory), 'ok')
  assert.deepEqual(await auditProblems(node.directory), [])
}

suite('R10: no room for the data', { concurrency: true }, () => {
  const env = { LOGIN_ATTEMPTS: '5' }

  test('a file that may not grow: writes are 503, reads and tokens work, and it recovers', async () => {
    const node = await startNode({ env })
    try {
      const { pid } = node.service.process
      const wal = join(node.directory, `${databaseFileName}-wal`)
      await assertServesWithoutRoom(node, {
        fill: () => limitFileSize(pid, sizeOf(wal) + 100_000),
        makeRoom: () => limitFileSize(pid, 'unlimited'),
      })
    } finally {
      await node.remove()
    }
  })

  test('a full disk does the same', async (t) => {
    const disk = mountSmallDisk(8)
    if (!disk) return t.skip('no disk may be mounted here')
    const node = await startNode({ env, directory: disk.directory })
    try {
      await assertServesWithoutRoom(node, disk)
    } finally {
      await node.remove().catch(() => {}) // the folder itself is the disk's
      disk.remove()
    }
  })
})

suite('the write-ahead log on a small disk', () => {
  /** Changes of one row, which make the log long and the file no larger than their records. */
  const changesOf = ({ caller }: ServiceNode) => {
    let count = 0
    return async () => {
      const json = { name: `Name ${++count}` }
      return (await caller.call('PUT', '/users/1', { headers: basic, json })).status
    }
  }
  const limitOf = (path: string) => Math.max(8 * 1024 * 1024, 4 * sizeOf(path))

  test('a disk of 24 MiB that is full three times recovers each time, and the log stays bounded', async (t) => {
    const disk = mountSmallDisk(24)
    if (!disk) return t.skip('no disk may be mounted here')
    const node = await startNode({ directory: disk.directory })
    const path = join(disk.directory, databaseFileName)
    const change = changesOf(node)
    try {
      for (let phase = 0; phase < 3; phase += 1) {
        disk.fill()
        await untilRefused(change, 5000, 'no change that has no room')
        disk.makeRoom()
        await waitUntil('room', async () => (await change()) === 200)
        for (let count = 0; count < 300; count += 1) assert.equal(await change(), 200)
        await waitUntil('a log within its limit', async () => {
          assert.equal(await change(), 200)
          return sizeOf(`${path}-wal`) <= limitOf(path)
        })
      }
      assert.equal(await node.stop(), 0)
      assert.equal(integrityOf(node.directory), 'ok')
      assert.deepEqual(await auditProblems(node.directory), [])
    } finally {
      await node.remove().catch(() => {}) // the folder itself is the disk's
      disk.remove()
    }
  })

  test('a log that a reader has let fill the disk is truncated once there is room and the reader has gone', async (t) => {
    const disk = mountSmallDisk(24)
    if (!disk) return t.skip('no disk may be mounted here')
    const node = await startNode({ directory: disk.directory })
    const path = join(disk.directory, databaseFileName)
    const change = changesOf(node)
    const reader = new DatabaseSync(path, { readOnly: true })
    writeFileSync(join(disk.directory, 'ballast'), Buffer.alloc(2 * 1024 * 1024))
    try {
      reader.exec('begin; select count(*) from users')
      await untilRefused(change, 5000, 'no change that has no room')
      assert.ok(sizeOf(`${path}-wal`) > limitOf(path))
      reader.close()
      disk.makeRoom()
      await waitUntil('room', async () => (await change()) === 200)
      await waitUntil('a log within its limit', async () => {
        assert.equal(await change(), 200)
        return sizeOf(`${path}-wal`) <= limitOf(path)
      })
      assert.equal(await isReady(node), true)
      assert.equal(await node.stop(), 0)
      assert.equal(integrityOf(node.directory), 'ok')
    } finally {
      if (reader.isOpen) reader.close()
      await node.remove().catch(() => {}) // the folder itself is the disk's
      disk.remove()
    }
  })
})

suite('R10: no room for the log', () => {
  test('the service serves on, refuses what it must, and the lines are there once there is room', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-fault-'))
    const path = join(directory, 'log')
    // Larger than any other file of the process, so that the limit is its alone; nearly all of it a hole.
    writeFileSync(path, '')
    truncateSync(path, holeBytes)
    const log = openSync(path, 'a')
    const reader = openSync(path, 'r')
    const lines = () => {
      const bytes = Buffer.alloc(100_000)
      return bytes.toString('utf8', 0, readSync(reader, bytes, { position: holeBytes }))
    }
    const child = spawn(process.execPath, ['src/main.ts'], {
      cwd: join(import.meta.dirname, '../..'),
      env: { ...process.env, DATA_DIR: directory, PORT: '0', ADMIN_PASSWORD: admin.password },
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    const exited = once(child, 'exit')
    try {
      await waitUntil('a start', () => lines().includes('sys_startup'))
      const [, url = ''] = /"address":"([^"]+)"/.exec(lines()) ?? []
      const caller = callerOf(url)
      const login = (password: string) =>
        caller.call('POST', '/login', { form: { username: 'admin', password } })
      const failures = () => lines().match(/"authn_login_fail"/g)?.length ?? 0
      limitFileSize(child.pid, sizeOf(path) + 10)
      for (let tries = 0; tries < 5; tries += 1) assert.equal((await login('wrong')).status, 401)
      assert.equal((await login(admin.password)).status, 429)
      assert.equal((await caller.call('GET', '/health/ready')).status, 200)
      assert.equal(failures(), 0)
      limitFileSize(child.pid, 'unlimited')
      assert.equal((await login(admin.password)).status, 429)
      await waitUntil('all five lines', () => failures() === 5)
      caller.close()
      child.kill('SIGTERM')
      assert.deepEqual(await exited, [0, null])
    } finally {
      child.kill('SIGKILL')
      closeSync(reader)
      rmSync(directory, { recursive: true })
    }
  })
})
