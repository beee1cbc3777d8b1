import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basic, bearer, startNode } from '../../test/faults/node.ts'
import { waitMs, waitUntil } from '../../test/faults/waiting.ts'

/**
 * 1,000 webhooks, of which some never answer: how long the others wait for an event, and a login
 * meanwhile, as a ratio to 1,000 that answer. `npm run prove -- webhook-queues`
 */
const endpoints = 1000
const events = 5

interface Figures {
  readonly arrivals: number[]
  readonly logins: number[]
}

const all = await measure(0)
const some = await measure(300)
print('all answer', all)
print('300 of 1,000 never answer', some)
const ratio = (of: (figures: Figures) => number[], share: number) =>
  (quantile(of(some), share) / quantile(of(all), share)).toFixed(2)
for (const share of [0.5, 0.99]) {
  process.stdout.write(
    `p${share * 100}: arrivals ${ratio(({ arrivals }) => arrivals, share)} times, logins ${ratio(({ logins }) => logins, share)} times\n`,
  )
}
process.exit()

async function measure(silent: number): Promise<Figures> {
  const arrivals: number[] = []
  const seen = new Map<string, number>()
  let outOfOrder = 0
  let sentAt = 0
  const server = createServer((request, response) => {
    if (Number(request.url?.slice(1)) < silent) return
    request.setEncoding('utf8').on('data', (text: string) => {
      const { number } = JSON.parse(text).data
      if (number < (seen.get(request.url ?? '') ?? 0)) outOfOrder += 1
      seen.set(request.url ?? '', number)
    })
    arrivals.push(performance.now() - sentAt)
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on TCP
  const node = await startNode({ env: { RATE_LIMIT_MAX: '0' } })
  try {
    const token = await node.token()
    for (let n = 0; n < endpoints; n += 1) {
      const json = { url: `http://127.0.0.1:${port}/${n}`, events: ['user_created'] }
      await node.caller.call('POST', '/api/admin/webhooks', { headers: basic, json })
    }
    const logins: number[] = []
    for (let event = 1; event <= events; event += 1) {
      sentAt = performance.now()
      const json = { name: `user ${event}`, email: 'someone@example.org' }
      await node.caller.call('POST', '/users', { headers: bearer(token), json })
      const isDone = () => arrivals.length >= event * (endpoints - silent)
      while (!isDone()) {
        const beganAt = performance.now()
        await node.login('session')
        logins.push(performance.now() - beganAt)
        await waitMs(50)
      }
    }
    await waitUntil('nothing more', () => arrivals.length === events * (endpoints - silent))
    if (outOfOrder > 0) throw new Error(`${outOfOrder} messages out of order`)
    return { arrivals, logins }
  } finally {
    await node.remove()
    server.closeAllConnections()
    server.close()
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

function print(name: string, { arrivals, logins }: Figures): void {
  const of = (values: number[]) =>
    [0.5, 0.99]
      .map((share) => `p${share * 100} ${Math.round(quantile(values, share))} ms`)
      .join(', ')
  process.stdout.write(
    `${name}: ${arrivals.length} arrivals, ${of(arrivals)}; ${logins.length} logins, ${of(logins)}\n`,
  )
}
