import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

// Durable commits by the database alone, as fast as its driver goes. On SQLite one connection writes,
// because SQLite has one writer at a time; on PostgreSQL each writer has its own.
// The first message says where and what, each further one for how many milliseconds.

export interface Commits {
  /** The file of SQLite, or the address of PostgreSQL. */
  readonly database: string
  readonly writers: number
  /**
   * `user`: what POST /users commits, a transaction that inserts into `users` of a database of the
   * service, with its triggers and indexes. `audited`: the same, with the audit record of the change
   * and the key of the person. `row`: one row in a table of its own, without `begin`.
   */
  readonly change: 'user' | 'audited' | 'row'
}

type Done = { readonly count: number; readonly seconds: number }
type Row = readonly (string | number)[]

let next = Date.now() * 1000

const ownTable = 'create table if not exists bench_commits (id bigint primary key, name text)'

interface Insert {
  readonly into: string
  readonly row: () => Row
}

const insertUser: Insert = {
  into: 'users (name, email, name_key, email_key)',
  row: () => [
    `Writer ${next}`,
    `writer.${next}@example.org`,
    `writer ${next}`,
    `writer.${next}@example.org`,
  ],
}
/** Texts as long as those of the service. */
const insertKey: Insert = {
  into: 'audit_subjects (subject, pseudonym, sealed)',
  row: () => [`user ${next}`, `${next}`.padEnd(22, 'p'), 's'.repeat(160)],
}
const insertRecord: Insert = {
  into: `audit_records (chain, place, id, at, type, level, outcome, request_id, facts,
    actor_key, actor_sealed, target_key, target_sealed, actor_index, target_index, mac)`,
  row: () => [
    ...['benchmark of the service', next, `${next}`.padEnd(22, 'r'), next],
    ...['user_created', 'info', 'success', `${next}`.padEnd(22, 'q'), '{}'],
    ...['user 1', 's'.repeat(240), `user ${next}`, 's'.repeat(120)],
    ...['a'.repeat(22), `${next}`.padEnd(22, 't'), `${next}`.padEnd(43, 'm')],
  ],
}
const inserts: Record<Commits['change'], readonly Insert[]> = {
  user: [insertUser],
  audited: [insertUser, insertKey, insertRecord],
  row: [{ into: 'bench_commits (id, name)', row: () => [next, 'a user of the benchmark'] }],
}

process.once('message', async (message) => {
  const commits = message as Commits // sent by writes.ts
  const run = commits.database.startsWith('postgres:')
    ? await onPostgres(commits)
    : onSqlite(commits)
  process.on('message', async (milliseconds) => process.send?.(await run(Number(milliseconds))))
  process.send?.({})
})
process.once('disconnect', () => process.exit())

function onSqlite({ database, change }: Commits): (milliseconds: number) => Promise<Done> {
  const db = new DatabaseSync(database, { timeout: 5000 })
  // As the service configures it.
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
  db.exec('pragma cache_size = -16384; pragma wal_autocheckpoint = 4000')
  if (change === 'row') db.exec(ownTable)
  const [begin, commit] = [db.prepare('begin immediate'), db.prepare('commit')]
  const statements = inserts[change].map(({ into, row }, index) => ({
    row,
    statement: db.prepare(textOf({ into, row }, index === 0 && change !== 'row', () => '?')),
  }))
  return async (milliseconds) => {
    const startedAt = performance.now()
    const endsAt = startedAt + milliseconds
    let done = 0
    for (; performance.now() < endsAt; done += 1) {
      next += 1
      if (change !== 'row') begin.run()
      for (const { statement, row } of statements) statement.get(...row())
      if (change !== 'row') commit.run()
    }
    return { count: done, seconds: (performance.now() - startedAt) / 1000 }
  }
}

async function onPostgres({ database, writers, change }: Commits) {
  const clients = Array.from({ length: writers }, () => new pg.Client(database))
  for (const client of clients) await client.connect()
  if (change === 'row') await clients[0]?.query(ownTable)
  const statements = inserts[change].map((insert, index) => ({
    name: `insert ${index}`,
    text: textOf(insert, index === 0 && change !== 'row', (place) => `$${place}`),
    row: insert.row,
  }))
  return async (milliseconds: number) => {
    const startedAt = performance.now()
    const endsAt = startedAt + milliseconds
    let done = 0
    const write = async (client: pg.Client) => {
      for (; performance.now() < endsAt; done += 1) {
        next += 1
        const rows = statements.map(({ name, text, row }) => ({ name, text, values: [...row()] }))
        if (change !== 'row') await client.query('begin')
        for (const row of rows) await client.query(row)
        if (change !== 'row') await client.query('commit')
      }
    }
    await Promise.all(clients.map(write))
    return { count: done, seconds: (performance.now() - startedAt) / 1000 }
  }
}

function textOf({ into, row }: Insert, isUser: boolean, place: (at: number) => string): string {
  const places = row().map((_, index) => place(index + 1))
  return `insert into ${into} values (${places}) ${isUser ? 'returning id, name, email' : ''}`
}
