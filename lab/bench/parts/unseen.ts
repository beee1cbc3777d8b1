import { loadOf, measured } from '../load.ts'
import { type Peer, startPeer } from '../processes.ts'
import type { Figure } from '../report/figure.ts'
import { type Contender, linesOf, type Plan, type Sample, takeTurns } from '../turns.ts'
import { copiesOf, password, passwordHash, seeded, tokenPrivateKey, tokenSecret } from './seeded.ts'

// The service caches a token at its second use, if at most 10,000 other tokens came in between. Each
// turn begins behind the tokens of the turn before, so that none is found in the cache.
const tokens = 30_000
const perTurn = 10_000

const about = `\`GET /api/me\` with 30,000 different tokens in turn, of which the service finds none among those that it keeps
from their second use: each is parsed, its signature and claims are verified, and its account's versions are asked. *Seen* is the
same request with one token. *Verification alone* is \`crypto.verify\` of RS256 (2,048 bits) on one thread, without a
server; *what verification allows* is the rate of a server that does one seen read and one such verification after
the other. The generator never sleeps here, so that no server spends time on waking it.`

export async function unseen(plan: Plan): Promise<Figure> {
  const data = await seeded(plan, 'SQLite', 1000)
  const symmetric = await data.start({ TOKEN_ALGORITHM: 'HS256', TOKEN_SECRET: tokenSecret })
  const asymmetric = await data.start({
    TOKEN_ALGORITHM: 'RS256',
    TOKEN_PRIVATE_KEY: tokenPrivateKey,
  })
  const alone = await cryptography('verify', 1)
  const contenders: Contender[] = []
  for (const [algorithm, service] of [
    ['HS256', symmetric],
    ['RS256', asymmetric],
  ] as const) {
    const token = service.bearer.authorization?.replace('Bearer ', '') ?? ''
    const copies = await copiesOf(token, tokens, algorithm)
    const requestOf = (text: string) => ({
      path: '/api/me',
      headers: { authorization: `Bearer ${text}` },
    })
    const unseenRequests = copies.map(requestOf)
    let turns = 0
    const behindThoseBefore = () => {
      const from = (turns * perTurn) % tokens
      turns += 1
      return [...unseenRequests.slice(from), ...unseenRequests.slice(0, from)]
    }
    contenders.push(
      loadOf(`${algorithm}, seen`, service, { isAwake: true, requests: [requestOf(token)] }),
      loadOf(`${algorithm}, not seen`, service, {
        isAwake: true,
        requests: behindThoseBefore,
      }),
    )
  }
  contenders.push(workOf(aloneName, alone))
  const { samples, about: taken } = await takeTurns(plan, contenders, aloneName)
  await alone.stop()
  await symmetric.stop()
  await asymmetric.stop()
  await data.close()
  const allowed = allowedBy(samples.get('RS256, seen'), samples.get(aloneName))
  const all = new Map([...samples, [allowedName, allowed]])
  return {
    name: 'unseen',
    title: 'GET /api/me with tokens not seen before',
    about,
    unit: 'requests/s',
    lines: [
      ...linesOf(contenders, all, {
        'HS256, not seen': [{ to: 'HS256, seen', atLeast: 0.5, ratchet: 'unseen HS256 : seen' }],
        'RS256, not seen': [
          { to: allowedName, atLeast: 0.8, ratchet: 'unseen RS256 : allowed' },
          { to: 'RS256, seen' },
          { to: aloneName },
        ],
      }),
      { what: allowedName, values: allowed.map(({ rate }) => rate), isPeer: true },
    ],
    ...taken,
  }
}

const aloneName = 'RS256, verification alone'
const allowedName = 'RS256, what verification allows'

/** The rates of a server that does one request of the first kind and one work of the other in turn. */
export function allowedBy(
  requests: readonly Sample[] = [],
  alone: readonly Sample[] = [],
): Sample[] {
  return requests.map(({ rate }, index) => {
    const work = alone[index]?.rate ?? Number.NaN
    return { rate: 1 / (1 / rate + 1 / work) }
  })
}

/** Starts cryptographic work without a server, so many at a time. */
export function cryptography(kind: 'login' | 'sign' | 'verify', atOnce: number): Promise<Peer> {
  const privateKey = tokenPrivateKey
  return startPeer('peers/alone.ts', { kind, atOnce, privateKey, hash: passwordHash, password })
}

type Done = Awaited<ReturnType<Parameters<typeof measured>[1]>>

export function workOf(name: string, peer: Peer): Contender {
  return {
    name,
    isPeer: true,
    run: (seconds) => measured(peer, async () => (await peer.ask(seconds * 1000)) as Done),
  }
}
