import { loadOf } from '../load.ts'
import type { Figure } from '../report/figure.ts'
import { openDatabase, type Service, service } from '../service.ts'
import { linesOf, type Plan, takeTurns } from '../turns.ts'
import { closeFilled } from './stream.ts'

const many = 100_000
const few = 1_000
const connections = 8
const pageSize = 10

const about = `Pages of 10 posts of 2 kB on SQLite, with 1,000 posts and with 100,000: the first page, and page 100, which is the last of
the smaller table.`

/** Measures the first and the last common page of posts at a hundred thousand and at a thousand. */
export async function posts(plan: Plan): Promise<Figure> {
  const small = await service(plan.nodeOptions, await directoryWith(few))
  const large = await service(plan.nodeOptions, await directoryWith(many))
  const last = few / pageSize
  const contenders = [
    read(large, many, 1),
    read(small, few, 1),
    read(large, many, last),
    read(small, few, last),
  ]
  const { samples, about: taken } = await takeTurns(plan, contenders, nameOf(few, 1))
  await small.stop()
  await large.stop()
  const lines = linesOf(contenders, samples, {
    [nameOf(many, 1)]: [{ to: nameOf(few, 1), atLeast: 0.67 }],
    [nameOf(many, last)]: [{ to: nameOf(few, last), atLeast: 0.67 }],
  })
  return { name: 'posts', title: 'Pages of posts', about, unit: 'requests/s', lines, ...taken }
}

function nameOf(count: number, page: number): string {
  return `page ${page} of ${count.toLocaleString('en-US')} posts`
}

function read(target: Service, count: number, page: number) {
  const path = `/api/posts?page=${page}&limit=${pageSize}`
  const requests = [{ path, headers: target.bearer }]
  return loadOf(nameOf(count, page), target, { connections, requests })
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
  database.exec('commit')
  closeFilled(database)
  return empty.directory
}
