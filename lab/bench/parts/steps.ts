import { cpSync } from 'node:fs'
import type { Asked, Steps } from '../job-steps.ts'
import { startPeer } from '../processes.ts'
import { type Figure, type Line, median } from '../report/figure.ts'
import { openDatabase } from '../service.ts'
import { type Plan, takeOnce } from '../turns.ts'
import { temporaryFolder } from './seeded.ts'
import { directoryWith } from './stream.ts'

const many = 1_000_000
const postsOfOne = 100_000
const expired = 30_000
const maxMs = 5

const about = `Processor time of the steps in which jobs purge 30,000 expired rows of each kind and clear what a deleted user with 100,000
posts has left, on SQLite with 1,000,000 users and as many posts. During a step no request is answered, so that each must be
short: judged are the longest step and the 99th of 100. The deletion itself is the work of \`DELETE /users/{id}\` for that user,
without HTTP. All of it runs in a process of its own without other load; a checkpoint, which falls on one of several hundred
commits, counts in the step that makes it.`

/** The steps of purges, and of the deletion of a user with very many posts. */
export async function steps(plan: Plan): Promise<Figure> {
  const filled = await directoryWith(many)
  const { result, about: taken } = await takeOnce(plan, async () => {
    const directory = temporaryFolder()
    cpSync(filled, directory, { recursive: true })
    const asked: Asked = { directory, usual: [11, 12, 13, 14, 15, 16], id: fill(directory) }
    const child = await startPeer('job-steps.ts')
    const measured = (await child.ask({ ...asked })) as Steps // what job-steps.ts sends
    await child.stop()
    return measured
  })
  const lines = [
    judged('deletion of a user with 100,000 posts', result.removal),
    ...Object.entries(result.jobs).flatMap(([name, each]) => linesOf(name, each)),
  ]
  return { name: 'steps', title: 'Steps of purges', about, unit: 'ms', lines, ...taken }
}

function linesOf(name: string, taken: readonly number[]): Line[] {
  const sorted = taken.toSorted((one, other) => one - other)
  const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN
  const what = `${name}, ${taken.length.toLocaleString('en-US')} steps`
  return [
    { what: `${what}: median`, values: [median(taken)] },
    judged(`${what}: p99`, p99),
    judged(`${what}: longest`, sorted.at(-1) ?? Number.NaN),
  ]
}

function judged(what: string, value: number): Line {
  return { what, values: [value], comparisons: [{ to: 'itself', values: [value], atMost: maxMs }] }
}

/** Fills tables with expired rows, and gives one user very many posts; answers its id. */
function fill(directory: string): number {
  const database = openDatabase(directory)
  const hex = 'lower(hex(randomblob(16)))'
  const text = `substr(${hex} || ${hex}, 1, 43)`
  const numbers = `from (with recursive numbers (n) as
    (select 1 union all select n + 1 from numbers where n < ${expired}) select n from numbers)`
  const ended = Date.now() - 72 * 3_600_000
  const id = many / 2
  database.exec('pragma synchronous = off; pragma cache_size = -262144; begin')
  database.exec(`
    update posts set author_id = ${id} where id % ${many / postsOfOne} = 0;
    insert into sessions (id, user_id, csrf_token, created_at, last_seen_at, address, user_agent)
      select ${text}, 1, ${text}, ${ended} + n, ${ended} + n, '192.0.2.1', 'Mozilla/5.0' ${numbers};
    insert into throttle_places (username, address, taken_at, pending, expires_at)
      select ${text}, '192.0.2.1', ${ended}, 0, ${ended} + n ${numbers};
    insert into revocations (token, expires_at) select ${hex}, ${ended} + n ${numbers};
    insert into flows (id, browser, purpose, provider, sealed, return_to, expires_at)
      select ${text}, ${text}, 'sign_in', 'default', ${text}, '/', ${ended} + n ${numbers};
    insert into idempotency_keys (id, fingerprint, answer, expires_at)
      select ${text}, ${text}, '{"id":1,"name":"A"}', ${ended} + n ${numbers};
    commit; pragma wal_checkpoint(truncate)`)
  database.close()
  return id
}
