import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { loadConfig } from '../../src/core/config/load.ts'
import { connect } from '../../src/core/database/connect.ts'
import { latestSchema, migrateTo } from '../../src/core/database/migrate.ts'
import { systemClock } from '../../src/core/lib/clock.ts'
import { settingsOfModules } from '../../src/core/module/settings.ts'
import { modules } from '../../src/modules.ts'
import { numbersUpTo } from '../growth/seed.ts'
import { databases, emptyStore, removeCluster, type Store } from '../growth/store.ts'

/**
 * How long does it take to bring a full database of the version before to the present schema, and does
 * each account keep its roles and its password? By the command as an operator runs it, on both
 * databases. `npm run prove -- migration [accounts]`
 */
const oldSchema = 13
const accounts = Number(process.argv[2] ?? 100_000)
const maxSeconds = 30
const told = `process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS))`

try {
  for (const name of databases) await prove(await emptyStore(name))
  print('PASS')
} finally {
  await removeCluster()
}

async function prove(store: Store): Promise<void> {
  try {
    await fill(store)
    const expected = await wanted(store)
    const { seconds, peakMegabytes } = await gatehouse(store, 'migrate')
    print(
      `${store.name}: ${accounts} accounts from schema ${oldSchema} to ${latestSchema}: ` +
        `${seconds.toFixed(1)} s, at most ${peakMegabytes.toFixed(0)} MB`,
    )
    assert.deepEqual(await found(store), expected)
    assert.ok(seconds <= maxSeconds, `more than ${maxSeconds} s`)
  } finally {
    await store.close()
  }
}

/** Every account has a password; of the roles, the states and the kinds of hash each has its share. */
async function fill(store: Store): Promise<void> {
  const config = loadConfig(store.settings, await settingsOfModules(modules))
  const { db } = connect({ ...config.database, synchronous: 'off' })
  await db.transaction().execute((trx) => migrateTo(trx, systemClock, oldSchema))
  await db.destroy()
  const name = "'user' || cast(n as text)"
  const tail = (letter: string, length: number) => `'${letter.repeat(length)}'`
  for (const statement of [
    `insert into users (name, email, name_key, email_key)
      select ${name}, ${name} || '@example.org', ${name}, ${name} || '@example.org'
      from (${numbersUpTo(accounts)}) as numbers`,
    `insert into accounts (user_id, username, password_hash, roles, locked, active, must_change,
        created_at, second_factor)
      select n, ${name},
        case n % 4 when 0 then '$2b$12$' || ${tail('a', 53)}
          else '$argon2id$v=19$m=19456,t=2,p=1$' || ${tail('b', 22)} || '$' || ${tail('c', 43)} end,
        case when n % 1000 = 1 then 'USER,EDITOR,ADMIN' when n % 10 = 0 then 'USER,EDITOR'
          when n % 11 = 0 then '' else 'USER' end,
        case n % 50 when 0 then 1 else 0 end, case n % 60 when 0 then 0 else 1 end,
        case n % 70 when 0 then 1 else 0 end, ${systemClock.now()}, case n % 5 when 0 then 1 else 0 end
      from (${numbersUpTo(accounts)}) as numbers`,
    `insert into token_versions (user_id, access_version, refresh_version)
      select n, 1, 1 from (${numbersUpTo(accounts)}) as numbers`,
  ]) {
    await store.query(statement)
  }
  await store.settle()
}

type Totals = Readonly<Record<string, number>>

/** Of the old schema, asked of its own columns. */
async function wanted(store: Store): Promise<Totals> {
  const having = (name: string, what: string) =>
    `select '${name}' as name, count(*) as total from accounts where ${what}`
  return totals(store, [
    having('accounts total', 'true'),
    having('accounts locked', 'locked = 1'),
    having('accounts disabled', 'active = 0'),
    having('accounts second_factor', 'second_factor = 1'),
    having('accounts must_change', 'must_change = 1'),
    ...['USER', 'EDITOR', 'ADMIN'].map((role) =>
      having(`accounts role ${role}`, `',' || roles || ',' like '%,${role},%'`),
    ),
    having('hashes', "password_hash like '$%'"),
  ])
}

async function found(store: Store): Promise<Totals> {
  return totals(store, [
    "select name, total from row_counts where name >= 'accounts ' and name < 'accounts!'",
    "select 'hashes' as name, count(*) as total from passwords where hash like '$%'",
  ])
}

async function totals(store: Store, queries: readonly string[]): Promise<Totals> {
  const rows = await store.query<{ name: string; total: number }>(queries.join(' union all '))
  return Object.fromEntries(rows.map(({ name, total }) => [name, Number(total)]))
}

interface Run {
  readonly seconds: number
  readonly peakMegabytes: number
}

async function gatehouse({ settings }: Store, ...words: readonly string[]): Promise<Run> {
  const args = [`--import=data:text/javascript,${told}`, 'src/cli/main.ts', ...words]
  const start = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  assert.equal(code, 0, output)
  const [, peak = '0'] = /peak (\d+)/.exec(output) ?? []
  return { seconds: (performance.now() - start) / 1000, peakMegabytes: Number(peak) / 1024 }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
