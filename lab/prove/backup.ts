import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../src/core/config/load.ts'
import { systemRandom } from '../../src/core/crypto/random.ts'
import { connect } from '../../src/core/database/connect.ts'
import { migrate } from '../../src/core/database/migrate.ts'
import { systemClock } from '../../src/core/lib/clock.ts'
import { settingsOfModules } from '../../src/core/module/settings.ts'
import { createLog } from '../../src/core/runtime/deps.ts'
import { eventsOf } from '../../src/core/runtime/sinks.ts'
import { tablesOf } from '../../src/extras/backup/copied-tables.ts'
import { type Batch, readRows, writeRows } from '../../src/extras/backup/rows.ts'
import { loadKeySet } from '../../src/modules/keys/key-set.ts'
import { modules } from '../../src/modules.ts'
import { print } from '../growth/table.ts'

/**
 * Measures duration and memory of a backup and a restore, with few users and with many, by the
 * commands of the operator; and compares all rows afterwards. `npm run prove -- backup`
 */
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1000, 100_000]
const passphrase = 'lamps harbour velvet tuba ocelot quarry'
const maxSeconds = 60
const told = `process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS))`

for (const users of sizes) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  try {
    const [from, to, file] = [join(folder, 'from'), join(folder, 'to'), join(folder, 'backup')]
    await fill(from, users)
    report(`backup of ${users} users with accounts`, await gatehouse(from, 'backup', file))
    print(`  ${(statSync(file).size / 1e6).toFixed(1)} MB`)
    report(`restore of ${users} users with accounts`, await gatehouse(to, 'restore', file))
    assert.equal(await printOf(to), await printOf(from), 'every row is the same')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
print('PASS')

async function fill(dataDirectory: string, users: number): Promise<void> {
  const config = loadConfig({ DATA_DIR: dataDirectory }, await settingsOfModules(modules))
  const { db, feed } = connect({ ...config.database, synchronous: 'off' })
  await migrate(db, systemClock)
  const events = eventsOf({ clock: systemClock, log: createLog('silent') })
  await loadKeySet({
    config,
    db,
    feed,
    clock: systemClock,
    events,
    random: systemRandom,
  })
  await db.transaction().execute(async (trx) => {
    for (let id = 1; id <= users; id += 500) {
      for (const batch of batchesFrom(id, Math.min(500, users + 1 - id)))
        await writeRows(trx, batch)
    }
  })
  await db.destroy()
}

function batchesFrom(start: number, length: number): Batch[] {
  const ids = Array.from({ length }, (_, index) => start + index)
  const text = (bytes: number) => Buffer.from(systemRandom.bytes(bytes)).toString('base64')
  const name = (id: number) => `Given Family ${id}`
  const email = (id: number) => `user${id}@example.org`
  return [
    {
      table: 'users',
      columns: ['id', 'name', 'email', 'name_key', 'email_key'],
      rows: ids.map((id) => [id, name(id), email(id), name(id).toLowerCase(), email(id)]),
    },
    {
      table: 'accounts',
      columns: ['user_id', 'username', 'created_at'],
      rows: ids.map((id) => [id, `user${id}`, systemClock.now()]),
    },
    {
      table: 'role_assignments',
      columns: ['account', 'role'],
      rows: ids.map((id) => [id, 'USER']),
    },
    {
      table: 'passwords',
      columns: ['account', 'hash'],
      rows: ids.map((id) => [id, `$argon2id$v=19$m=19456,t=2,p=1$${text(16)}$${text(32)}`]),
    },
    {
      table: 'token_versions',
      columns: ['user_id', 'access_version', 'refresh_version'],
      rows: ids.map((id) => [id, 0, 0]),
    },
  ]
}

interface Run {
  readonly seconds: number
  readonly peakMegabytes: number
}

async function gatehouse(dataDirectory: string, ...words: readonly string[]): Promise<Run> {
  const args = [`--import=data:text/javascript,${told}`, 'src/cli/main.ts', ...words]
  const start = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, DATA_DIR: dataDirectory },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  child.stdin.end(`${passphrase}\n`)
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  assert.equal(code, 0, output)
  const [, peak = '0'] = /peak (\d+)/.exec(output) ?? []
  return { seconds: (performance.now() - start) / 1000, peakMegabytes: Number(peak) / 1024 }
}

/**
 * A digest of all rows, except the keys, which another master key has sealed, login state, and the audit
 * log, to which each of the two commands adds its record.
 */
async function printOf(dataDirectory: string): Promise<string> {
  const { db } = connect({ dataDirectory, timeoutMs: 1000 })
  const hash = createHash('sha256')
  for (const table of (await tablesOf(modules)).copied) {
    if (table.name === 'keys' || table.isLogin || table.name.startsWith('audit_')) continue
    for await (const batch of readRows(db, table)) hash.update(JSON.stringify(batch))
  }
  await db.destroy()
  return hash.digest('hex')
}

function report(what: string, { seconds, peakMegabytes }: Run): void {
  print(`${what}: ${seconds.toFixed(1)} s, at most ${peakMegabytes.toFixed(0)} MB`)
  assert.ok(seconds <= maxSeconds)
}
