import { join } from 'node:path'
import type { DatabaseName } from '../../growth/store.ts'
import { loadOf, postJson } from '../load.ts'
import { startPeer } from '../processes.ts'
import type { Figure } from '../report/figure.ts'
import type { Service } from '../service.ts'
import { type Contender, linesOf, type Plan, takeTurns } from '../turns.ts'
import { seeded } from './seeded.ts'
import { workOf } from './unseen.ts'

const writers = 16
/** More than any server writes in a turn. */
const perTurn = 40_000

const about = `Durable \`POST /users\` with 16 connections on both databases. Every answer and every commit waits until the disk has
it (\`synchronous = full\` on SQLite, \`fsync\` and \`synchronous_commit\` on PostgreSQL). *The same change by the database
alone* is its own rate of commits: the same \`insert into users\` between \`begin\` and \`commit\`, in a copy of the database
with the service's tables, indexes and triggers, without HTTP, credentials and access rules. On SQLite one connection does it,
because SQLite has one writer at a time; on PostgreSQL 16 connections do. The service has several writers wait for the disk
together, so that on SQLite it can pass the database alone, which waits for each. *With its audit record*
adds what the service must commit with the user: the record of the audit log and the key of the person. *One row a commit* is for comparison, without a
goal: an insert into an own table of two columns without further index or trigger, which is less work than a POST. PostgreSQL's own
processes are not in the column *CPU*.`

export async function writes(plan: Plan): Promise<Figure> {
  const both = plan.only === undefined ? (['SQLite', 'PostgreSQL'] as const) : [plan.only]
  const contenders: Contender[] = []
  const ends: (() => Promise<void>)[] = []
  for (const name of both) {
    const data = await seeded(plan, name, 1000)
    const copy = await seeded(plan, name, 1000) // of its own: neither grows by the other's writes
    const service = await data.start()
    const file = name === 'SQLite' ? join(copy.store.directory, 'gatehouse.db') : undefined
    const database = file ?? String(copy.store.settings.DATABASE_URL)
    const same = await startPeer('peers/commits.ts', { database, writers, change: 'user' })
    const row = await startPeer('peers/commits.ts', {
      database: file === undefined ? database : join(copy.store.directory, 'commits.db'),
      writers,
      change: 'row',
    })
    const audited = await startPeer('peers/commits.ts', { database, writers, change: 'audited' })
    const peers = [same, row, audited]
    contenders.push(
      ...[post(ours(name), service), workOf(alone(name), same)],
      ...[workOf(withRecord(name), audited), workOf(oneRow(name), row)],
    )
    ends.push(async () => {
      for (const each of [...peers, service]) await each.stop()
      for (const each of [data, copy]) await each.close()
    })
  }
  const { samples, about: taken } = await takeTurns(plan, contenders, alone(both[0]))
  for (const end of ends) await end()
  const goals = both.map((name) => [
    ours(name),
    [
      {
        to: alone(name),
        atLeast: name === 'SQLite' ? 0.7 : 0.6,
        ...(name === 'SQLite' ? { ratchet: 'POST /users : same change' } : {}),
      },
      { to: withRecord(name) },
      { to: oneRow(name) },
    ],
  ])
  return {
    name: 'writes',
    title: 'Durable writes',
    about,
    unit: 'requests/s',
    lines: linesOf(contenders, samples, Object.fromEntries(goals)),
    ...taken,
  }
}

const ours = (name: DatabaseName) => `POST /users, ${name}`
const alone = (name: DatabaseName) => `${name} alone, the same change`
const withRecord = (name: DatabaseName) => `${name} alone, with its audit record`
const oneRow = (name: DatabaseName) => `${name} alone, one row a commit`

let made = 0

function post(name: string, service: Service): Contender {
  const requests = () =>
    Array.from({ length: perTurn }, () => {
      made += 1
      const user = { name: `Writer ${made}`, email: `writer.${made}@example.org` }
      return postJson('/users', user, service.bearer)
    })
  return loadOf(name, service, { connections: writers, statuses: [201], requests })
}
