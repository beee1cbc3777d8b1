import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

// Durable commits of one row by the database alone, as fast as its driver goes. On SQLite one
// connection writes, because SQLite has one writer at a time; on PostgreSQL each writer has its own.
// The first message says where, each further one for how many milliseconds.

export interface Commits {
  /** The file of SQLite, or the address of PostgreSQL. */
  readonly database: string
  readonly writers: number
}

type Done = { readonly count: number; readonly seconds: number }

let next = Date.now() * 1000

process.once('message', async (message) => {
  const commits = message as Commits // sent by writes.ts
  const run = commits.database.startsWith('postgres:')
    ? await onPostgres(commits)
    : onSqlite(commits)
  process.on('message', async (milliseconds) => process.send?.(await run(Number(milliseconds))))
  process.send?.({})
})
process.once('disconnect', () => process.exit())

function onSqlite({ database }: Commits): (milliseconds: number) => Promise<Done> {
  const db = new DatabaseSync(database, { timeout: 5000 })
  db.exec('pragma journal_mode = wal; pragma synchronous = full')
  db.exec('create table if not exists bench_commits (id integer primary key, name text)')
  const insert = db.prepare('insert into bench_commits (id, name) values (?, ?)')
  return async (milliseconds) => {
    const startedAt = performance.now()
    const endsAt = startedAt + milliseconds
    let done = 0
    for (; performance.now() < endsAt; done += 1) {
      next += 1
      insert.run(next, 'a user of the benchmark')
    }
    return { count: done, seconds: (performance.now() - startedAt) / 1000 }
  }
}

async function onPostgres({ database, writers }: Commits) {
  const clients = Array.from({ length: writers }, () => new pg.Client(database))
  for (const client of clients) await client.connect()
  await clients[0]?.query(
    'create table if not exists bench_commits (id bigint primary key, name text)',
  )
  return async (milliseconds: number) => {
    const startedAt = performance.now()
    const endsAt = startedAt + milliseconds
    let done = 0
    const write = async (client: pg.Client) => {
      for (; performance.now() < endsAt; done += 1) {
        next += 1
        await client.query({
          name: 'commit',
          text: 'insert into bench_commits (id, name) values ($1, $2)',
          values: [next, 'a user of the benchmark'],
        })
      }
    }
    await Promise.all(clients.map(write))
    return { count: done, seconds: (performance.now() - startedAt) / 1000 }
  }
}
