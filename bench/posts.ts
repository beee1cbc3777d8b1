import { atMost, duel, load, type Row } from './rounds.ts'
import { openDatabase, type Service, service } from './service.ts'

const many = 100_000
const few = 1_000
const connections = 8
const rounds = 5
const seconds = 1
const pageSize = 10

/** Measures the first and the last common page of posts at a hundred thousand and at a thousand. */
export async function posts(nodeOptions: readonly string[]): Promise<Row[]> {
  const small = await service(nodeOptions, await directoryWith(few))
  const large = await service(nodeOptions, await directoryWith(many))
  const rows = [
    atMost(
      'page 1 of 100,000 posts : of 1,000',
      await duel(rounds, read(large, 1), read(small, 1)),
      1.5,
    ),
    atMost(
      'page 100 of 100,000 posts : of 1,000',
      await duel(rounds, read(large, few / pageSize), read(small, few / pageSize)),
      1.5,
    ),
  ]
  await small.stop()
  await large.stop()
  return rows
}

function read({ url, bearer }: Service, page: number): () => Promise<number> {
  const path = `/api/posts?page=${page}&limit=${pageSize}`
  return () => load({ url: url + path, connections, duration: seconds, headers: bearer })
}

/** A data directory of the service with a number of posts of 2 kB by the administrator. */
async function directoryWith(count: number): Promise<string> {
  const empty = await service([])
  await empty.stop()
  const database = openDatabase(empty.directory)
  database.exec('pragma synchronous = off; begin')
  database
    .prepare(`
      insert into posts (title, body, author_id, created_at, updated_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)
      select printf('Post %d', n), replace(hex(zeroblob(1000)), '00', 'ab'), 1, n, n from numbers
    `)
    .run(count)
  database.exec('commit; pragma wal_checkpoint(truncate)')
  database.close()
  return empty.directory
}
