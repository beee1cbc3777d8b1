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
   * service, with its triggers and indexes. `row`: one row in a table of its own, without `begin`.
   */
  readonly change: 'user' | 'row'
}

type Done = { readonly count: number; readonly seconds: number }
type Row = readonly (string | number)[]

let next = Date.now() * 1000

const ownTable = 'create table if not exists bench_commits (id bigint primary key, name text)'
const columns = {
  user: 'users (name, email, name_key, email_key)',
  row: 'bench_commits (id, name)',
}
const rowOf: Record<Commits['change'], () => Row> = {
  user: () => [
    `Writer ${next}`,
    `writer.${next}@example.org`,
    `writer ${next}`,
    `writer.${next}@example.org`,
  ],
  row: () => [next, 'a user of the benchmark'],
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
  const places = rowOf[change]().map(() => '?')
  const returning = change === 'user' ? 'returning id, name, email' : ''
  const insert = db.prepare(`insert into ${columns[change]} values (${places}) ${returning}`)
  return async (milliseconds) => {
    const startedAt = performance.now()
    const endsAt = startedAt + milliseconds
    let done = 0
    for (; performance.now() < endsAt; done += 1) {
      next += 1
      if (change === 'user') begin.run()
      insert.get(...rowOf[change]())
      if (change === 'user') commit.run()
    }
    return { count: done, seconds: (performance.now() - startedAt) / 1000 }
  }
}

async function onPostgres({ database, writers, change }: Commits) {
  const clients = Array.from({ length: writers }, () => new pg.Client(database))
  for (const client of clients) await client.connect()
  if (change === 'row') await clients[0]?.query(ownTable)
  const places = rowOf[change]().map((_, index) => `$${index + 1}`)
  const returning = change === 'user' ? 'returning id, name, email' : ''
  const text = `insert into ${columns[change]} values (${places}) ${returning}`
  return async (milliseconds: number) => {
    const startedAt = performance.now()
    const endsAt = startedAt + milliseconds
    let done = 0
    const write = async (client: pg.Client) => {
      for (; performance.now() < endsAt; done += 1) {
        next += 1
        if (change === 'user') await client.query('begin')
        await client.query({ name: 'insert', text, values: [...rowOf[change]()] })
        if (change === 'user') await client.query('commit')
      }
    }
    await Promise.all(clients.map(write))
    return { count: done, seconds: (performance.now() - startedAt) / 1000 }
  }
}
