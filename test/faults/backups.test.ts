import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { readBack } from '../../src/extras/backup/read-back.ts'
import { testApp } from '../app.ts'
import { tables } from '../backups.ts'
import { byItself, passphrase } from '../copies.ts'
import { seedUsers } from '../users.ts'
import { startCluster } from './cluster.ts'
import { mountSmallDisk } from './disks.ts'
import { startNode } from './node.ts'
import { waitUntil } from './waiting.ts'
import { databases } from './workers.ts'

const opening = { passphrase: async () => passphrase, unverified: false }
const insert = `insert into users (name, email, name_key, email_key)
  select 'User ' || n, 'user' || n || '@example.org', 'user ' || n, 'user' || n || '@example.org'`

for (const database of databases) {
  suite(`a service that is killed while it makes a backup, on ${database}`, () => {
    test('leaves a partial file, which the next one removes, and then makes it from the beginning', async () => {
      const BACKUP_DIR = mkdtempSync(join(tmpdir(), 'gatehouse-backups-'))
      const cluster = database === 'postgres' ? await startCluster() : undefined
      const name = (await cluster?.createDatabase()) ?? ''
      const env = cluster ? { DATABASE_URL: cluster.url(name) } : {}
      const node = await startNode({ env })
      const query = async (text: string) => {
        if (cluster) return cluster.query<Record<string, unknown>>(name, text)
        const file = new DatabaseSync(join(node.directory, 'gatehouse.db'), { timeout: 10_000 })
        try {
          return file.prepare(text).all()
        } finally {
          file.close()
        }
      }
      try {
        await query(
          cluster
            ? `${insert} from generate_series(1, 60000) n`
            : `with recursive s (n) as (select 1 union all select n + 1 from s where n < 60000) ${insert} from s`,
        )
        await node.stop()
        const settings = { ...env, BACKUP_DIR, BACKUP_PASSPHRASE: passphrase }
        const killed = await startNode({ env: settings, directory: node.directory })
        const partial = () => readdirSync(BACKUP_DIR).find((file) => file.endsWith('.partial'))
        await waitUntil('a partial file', () => partial() !== undefined, { everyMs: 1 })
        await killed.kill()
        const left = partial()
        assert.ok(left, 'it was killed on the way')

        // As if its lease was over: the service waits for 30 seconds.
        await query('update backup_runs set locked_until = 0')
        const next = await startNode({ env: settings, directory: node.directory })
        await waitUntil('a backup', () =>
          readdirSync(BACKUP_DIR).some((file) => file.endsWith('.backup')),
        )
        await waitUntil('its row', async () => {
          const rows = await query('select state from backup_runs')
          return rows.length === 1 && rows[0]?.state === 'done'
        })
        assert.ok(!existsSync(join(BACKUP_DIR, left)))
        await next.stop()
        const [file = '', ...others] = readdirSync(BACKUP_DIR)
        assert.deepEqual(others, [])
        const { counts } = await readBack(join(BACKUP_DIR, file), opening, { tables })
        assert.equal(counts.get('users'), 60_001)
      } finally {
        await node.remove()
        await cluster?.remove()
        rmSync(BACKUP_DIR, { recursive: true })
      }
    })
  })
}

suite('a full disk of backups', () => {
  test('is told, nothing half is left on it, old ones stay, and with room it goes on', async (t) => {
    const disk = mountSmallDisk(1)
    if (!disk) return t.skip('this container mounts nothing')
    try {
      const app = await testApp({ ...byItself(), BACKUP_DIR: disk.directory, BACKUP_KEEP: '1' })
      await seedUsers(app, 2000)
      const look = async () => app.app.jobs.find(({ name }) => name === 'backups')?.run()
      const runs = () => app.deps.db.selectFrom('backup_runs').selectAll().orderBy('id').execute()
      const backups = () => readdirSync(disk.directory).filter((name) => name !== 'ballast')
      const due = () =>
        app.deps.db.updateTable('backup_runs').set({ started_at: 0, finished_at: 0 })

      disk.fill() // the first backup knows no length, and meets the end of the disk
      await look()
      assert.match((await runs())[0]?.detail ?? '', /^BACKUP_DIR is full/)
      assert.deepEqual(backups(), [])
      disk.makeRoom()
      await due().execute()
      await look()
      const good = backups()
      assert.deepEqual([good.length, (await runs())[1]?.state], [1, 'done'])

      disk.fill() // this one is not begun
      await due().execute()
      await look()
      assert.match((await runs())[2]?.detail ?? '', /^BACKUP_DIR is full \(\d+ bytes are left/)
      assert.deepEqual(backups(), good, 'the old one stays')
      disk.makeRoom()
      await due().execute()
      await look()
      assert.deepEqual(
        (await runs()).map(({ state }) => state),
        ['failed', 'removed', 'failed', 'done'],
      )
      assert.equal(backups().length, 1)
    } finally {
      disk.remove()
    }
  })
})
