import { join } from 'node:path'
import type { DatabaseName } from '../../tools/growth/store.ts'
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

const about = `Durable \`POST /users\` with 16 connections on both databases, beside commits of one row by the database alone: every answer
and every commit waits until the disk has it (\`synchronous = full\` on SQLite, \`fsync\` and \`synchronous_commit\` on PostgreSQL).
A POST inserts the user, updates the stored counts and judges the caller again, in one transaction. On SQLite one
connection writes alone, because SQLite has one writer at a time; on PostgreSQL 16 connections do. PostgreSQL's own processes
are not in the column *CPU*.`

/** Durable writes beside the database's own commits. */
export async function writes(plan: Plan): Promise<Figure> {
  const both = plan.only === undefined ? (['SQLite', 'PostgreSQL'] as const) : [plan.only]
  const contenders: Contender[] = []
  const ends: (() => Promise<void>)[] = []
  for (const name of both) {
    const data = await seeded(plan, name, 1000)
    const service = await data.start()
    const database = data.store.settings.DATABASE_URL ?? join(data.store.directory, 'commits.db')
    const commits = await startPeer('peers/commits.ts', { database, writers })
    contenders.push(post(ours(name), service), workOf(alone(name), commits))
    ends.push(async () => {
      await commits.stop()
      await service.stop()
      await data.close()
    })
  }
  const { samples, about: taken } = await takeTurns(plan, contenders, alone(both[0]))
  for (const end of ends) await end()
  const goals = both.map((name) => [
    ours(name),
    [
      {
        to: alone(name),
        atLeast: 0.7,
        ...(name === 'SQLite' ? { ratchet: 'POST /users : commits, SQLite' } : {}),
      },
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
const alone = (name: DatabaseName) => `${name} alone, one row a commit`

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
