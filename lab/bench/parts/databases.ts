import { databases as names } from '../../growth/store.ts'
import { loadOf, postJson, type Request } from '../load.ts'
import type { Figure } from '../report/figure.ts'
import { type Contender, linesOf, type Plan, takeTurns } from '../turns.ts'
import { bare, bareName } from './reads.ts'
import { password, refreshTokens, seeded, sessionOf, userIds, usernames } from './seeded.ts'

const about = `The same requests on SQLite and on PostgreSQL with 100,000 users, with 32 connections. PostgreSQL runs on the same machine, over a
unix socket, with its default settings, commits that wait for the disk and 10 connections of the service; its own
processes are not in the column *CPU*, but they use the machine as well.`

/** Requests on both databases. */
export async function databases(plan: Plan): Promise<Figure> {
  const contenders: Contender[] = []
  const ends: (() => Promise<void>)[] = []
  let server: Awaited<ReturnType<typeof bare>> | undefined
  for (const database of names) {
    const data = await seeded(plan, database, 100_000)
    const service = await data.start()
    const headers = service.bearer
    const tokens = await refreshTokens(service, 16)
    const loads: Readonly<Record<string, readonly Request[]>> = {
      'GET /api/me, bearer': [{ path: '/api/me', headers }],
      'GET /api/protected, session': [
        { path: '/api/protected', headers: await sessionOf(service) },
      ],
      'GET /users/{id}': userIds.map((id) => ({ path: `/users/${id}`, headers })),
      'GET /users?limit=20': [{ path: '/users?limit=20', headers }],
      'POST /refresh, RS256': tokens.map((refresh_token) =>
        postJson('/refresh', { refresh_token }),
      ),
      'POST /login': usernames.map((username) => postJson('/login', { username, password })),
    }
    for (const [name, requests] of Object.entries(loads)) {
      contenders.push(loadOf(`${name}, ${database}`, service, { requests }))
    }
    if (server === undefined) {
      server = await bare(service, '/api/me', headers, false)
      contenders.unshift(
        loadOf(bareName, server, { requests: [{ path: '/api/me', headers }] }, true),
      )
    }
    ends.push(async () => {
      await service.stop()
      await data.close()
    })
  }
  const short = { ...plan, seconds: plan.seconds * 0.8 }
  const { samples, about: taken } = await takeTurns(short, contenders, bareName)
  await server?.stop()
  for (const end of ends) await end()
  const [yardstick, ...others] = contenders
  const sorted = others.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
  const shownContenders = yardstick ? [...sorted, yardstick] : sorted
  return {
    name: 'databases',
    title: 'SQLite and PostgreSQL',
    about,
    unit: 'requests/s',
    lines: linesOf(shownContenders, samples),
    ...taken,
  }
}
