import { loadOf, postJson } from '../load.ts'
import type { Figure } from '../report/figure.ts'
import { type Contender, linesOf, type Plan, takeTurns } from '../turns.ts'
import { bare, bareName } from './reads.ts'
import { refreshTokens, seeded } from './seeded.ts'
import { allowedBy, cryptography, workOf } from './unseen.ts'

const accounts = 64

const about = `\`POST /refresh\` with the refresh tokens of 64 accounts in turn, so that no limit is met. Each request verifies its
token, asks whether it or its account was revoked, reads the account and its roles from SQLite, signs an access
token, and records its event in a transaction. *Signing alone* is RS256 with 2,048 bits on the thread pool of Node, eight at a time, without a server, on all
cores. *What signing allows* is the rate of a server that does one refresh with HS256, which has everything else in it, and one such
signature after the other: on few cores the pool takes its time from the server and the generator. The goal is of that; the ratio to
signing alone, which leaves nothing for the requests, is for comparison.`

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
  const allowed = allowedBy(samples.get('POST /refresh, HS256'), samples.get(signing))
  const all = new Map([...samples, [allowedName, allowed]])
  return {
    name: 'refresh',
    title: 'Refreshing access tokens',
    about,
    unit: 'requests/s',
    lines: [
      ...linesOf(contenders, all, {
        'POST /refresh, HS256': [{ to: bareName, atLeast: 0.09, ratchet: 'refresh HS256 : bare' }],
        'POST /refresh, RS256': [
          { to: allowedName, atLeast: 0.8, ratchet: 'refresh RS256 : allowed' },
          { to: signing },
        ],
      }),
      { what: allowedName, values: allowed.map(({ rate }) => rate), isPeer: true },
    ],
    ...taken,
  }
}

const signing = 'RS256, signing alone'
const allowedName = 'RS256, what signing allows'
