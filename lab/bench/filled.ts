import { execFileSync } from 'node:child_process'
import { openDatabase, service } from './service.ts'

const directories = new Map<number, string>()

/** A data directory of the service with so many users, and as many short posts; created once. */
export async function directoryWith(users: number): Promise<string> {
  const known = directories.get(users)
  if (known !== undefined) return known
  const empty = await service([])
  await empty.stop()
  const database = openDatabase(empty.directory)
  database.exec('pragma synchronous = off; pragma cache_size = -262144; begin')
  // The order by name differs from the order by id.
  database
    .prepare(`
      insert into users (name, email, name_key, email_key)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)
      select printf('User %07d', p), printf('user.%d@example.org', n),
             printf('user %07d', p), printf('user.%d@example.org', n)
      from (select n, n * 7919 % 1000003 as p from numbers)
    `)
    .run(users)
  database
    .prepare(`
      insert into posts (title, body, author_id, created_at, updated_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)
      select printf('Post %d', n), 'A post of the benchmark.', 1, n, n from numbers
    `)
    .run(users)
  database.exec('commit; pragma wal_checkpoint(truncate)')
  database.close()
  execFileSync('sync') // nothing of it must be written during the measurement
  directories.set(users, empty.directory)
  return empty.directory
}
