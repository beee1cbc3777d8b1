import { loadOf, postJson } from '../load.ts'
import type { Figure } from '../report/figure.ts'
import { type Contender, linesOf, type Plan, takeTurns } from '../turns.ts'
import { bare, bareName } from './reads.ts'
import { refreshTokens, seeded } from './seeded.ts'
import { cryptography, workOf } from './unseen.ts'

const accounts = 64

const about = `\`POST /refresh\` with the refresh tokens of 64 accounts in turn, so that no limit is met. Each request verifies its
token, asks whether it or its account was revoked, reads the account and its roles from SQLite, and signs an access
token. *Signing alone* is RS256 with 2,048 bits on the thread pool of Node, eight at a time, without a server: on a
machine with few cores, that and the service share them with the generator.`

/** Refreshes by both algorithms, beside a bare server and beside signatures alone. */
export async function refresh(plan: Plan): Promise<Figure> {
  const data = await seeded(plan, 'SQLite', 1000)
  const contenders: Contender[] = []
  const services = []
  for (const algorithm of ['HS256', 'RS256']) {
    const service = await data.start({ TOKEN_ALGORITHM: algorithm })
    const tokens = await refreshTokens(service, accounts)
    const requests = tokens.map((refresh_token) => postJson('/refresh', { refresh_token }))
    contenders.push(loadOf(`POST /refresh, ${algorithm}`, service, { requests }))
    services.push(service)
  }
  const [first] = services
  if (first === undefined) throw new Error('no service')
  const server = await bare(first, '/api/me', first.bearer, false)
  const alone = await cryptography('sign', 8)
  contenders.push(
    loadOf(bareName, server, { requests: [{ path: '/api/me', headers: first.bearer }] }, true),
    workOf(signing, alone),
  )
  const { samples, about: taken } = await takeTurns(plan, contenders, bareName)
  for (const each of [...services, server, alone]) await each.stop()
  await data.close()
  return {
    name: 'refresh',
    title: 'Refreshing access tokens',
    about,
    unit: 'requests/s',
    lines: linesOf(contenders, samples, {
      'POST /refresh, HS256': [{ to: bareName, atLeast: 0.09, ratchet: 'refresh HS256 : bare' }],
      'POST /refresh, RS256': [{ to: signing, atLeast: 0.8, ratchet: 'refresh RS256 : signing' }],
    }),
    ...taken,
  }
}

const signing = 'RS256, signing alone'
