import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RestartableCluster } from './cluster.ts'
import { basic, bearer, prepareNode, type ServiceNode } from './node.ts'
import { waitMs, waitUntil } from './waiting.ts'

export interface WebhookFigures {
  readonly kills: { readonly sender: number; readonly receiver: number }
  readonly acknowledged: number
  /** Events of which there is a record. */
  readonly events: number
  readonly missing: readonly string[]
  /** Arrivals after the first of a message. */
  readonly again: number
  /** Arrivals whose `webhook-id` is not that of the record, or whose body is another one. */
  readonly changed: readonly string[]
  /** Messages that arrived for the first time behind a later one of their account. */
  readonly outOfOrder: readonly string[]
  /** From the end of the load until everything had arrived. */
  readonly settledMs: number
}

interface Arrival {
  readonly id: string
  readonly text: string
}

interface Recorded {
  readonly id: string
  readonly number: number
  readonly target: { readonly user_id: number } | null
}

const users = 6
const settleMs = 240_000

/**
 * Kills sender and receiver in turn while changes of accounts go on, and compares what arrived with
 * the records of the audit log.
 */
export async function killWebhooks({
  rounds,
  changes,
  cluster,
}: {
  readonly rounds: number
  /** How many changes are acknowledged before each kill, about. */
  readonly changes: number
  /** Without one: SQLite. */
  readonly cluster?: RestartableCluster
}): Promise<WebhookFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-webhooks-'))
  const file = join(folder, 'arrivals')
  const database = await cluster?.createDatabase()
  const env = cluster && database ? { DATABASE_URL: cluster.url(database) } : {}
  const node = prepareNode({ env })
  let receiver = await startReceiver(file)
  let acknowledged = 0
  try {
    await node.start()
    const token = await node.token()
    await call(node, 'POST', '/api/admin/webhooks', 201, {
      headers: basic,
      json: { url: `http://127.0.0.1:${receiver.port}/`, events: ['user_updated'] },
    })
    const ids: number[] = []
    for (let user = 1; user <= users; user += 1) {
      const json = { name: `user ${user}`, email: 'someone@example.org' }
      ids.push((await call(node, 'POST', '/users', 201, { headers: bearer(token), json })).id)
    }
    let isUnderLoad = true
    const load = ids.map(async (id) => {
      for (let count = 1; isUnderLoad; count += 1) {
        const json = { name: `user ${id}, ${count}`, email: 'someone@example.org' }
        const path = `/users/${id}`
        const { status } = await node.caller.call('PUT', path, { headers: bearer(token), json })
        if (status === 200) acknowledged += 1
        else await waitMs(20) // the service is being started again
      }
    })
    for (let round = 0; round < rounds; round += 1) {
      const enough = acknowledged + changes * (0.5 + ((round * 0.37) % 1))
      await waitUntil('enough changes', () => acknowledged >= enough, { everyMs: 1 })
      await node.kill()
      await node.start()
      const more = acknowledged + changes * (0.5 + ((round * 0.73) % 1))
      await waitUntil('enough changes', () => acknowledged >= more, { everyMs: 1 })
      await receiver.kill()
      await waitMs(round % 2 === 0 ? 0 : 500)
      receiver = await startReceiver(file, receiver.port)
    }
    isUnderLoad = false
    await Promise.all(load)
    const endedAt = performance.now()
    const recorded = await recordsOf(node, token)
    const wanted = new Set(recorded.map(({ id }) => id))
    const hasAll = () => wanted.isSubsetOf(new Set(arrivalsIn(file).map(({ id }) => id)))
    for (const until = endedAt + settleMs; !hasAll() && performance.now() < until; ) {
      await waitMs(200)
    }
    const settledMs = performance.now() - endedAt
    const kills = { sender: rounds, receiver: rounds }
    return { kills, acknowledged, settledMs, ...compare(recorded, arrivalsIn(file)) }
  } finally {
    await receiver.kill()
    await node.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

function compare(recorded: readonly Recorded[], arrivals: readonly Arrival[]) {
  const byId = new Map(recorded.map((record) => [record.id, record]))
  const texts = new Map<string, string>()
  const lastOf = new Map<number, number>()
  const changed: string[] = []
  const outOfOrder: string[] = []
  for (const { id, text } of arrivals) {
    const record = byId.get(id)
    if (JSON.parse(text).data.id !== id || !record) changed.push(id)
    const before = texts.get(id)
    if (before !== undefined) {
      if (before !== text) changed.push(id)
      continue
    }
    texts.set(id, text)
    const user = record?.target?.user_id ?? 0
    const number = record?.number ?? 0
    if (number < (lastOf.get(user) ?? 0)) outOfOrder.push(id)
    lastOf.set(user, Math.max(number, lastOf.get(user) ?? 0))
  }
  const missing = recorded.filter(({ id }) => !texts.has(id)).map(({ id }) => id)
  const again = arrivals.length - texts.size
  return { events: recorded.length, missing, again, changed, outOfOrder }
}

/** All records of changes of users, the oldest first. */
async function recordsOf(node: ServiceNode, token: string): Promise<Recorded[]> {
  const all: Recorded[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/api/admin/audit?type=user_updated&limit=1000${cursor && `&cursor=${cursor}`}`
    const page: { data: Recorded[]; next: string | null } = await call(node, 'GET', path, 200, {
      headers: bearer(token),
    })
    all.push(...page.data)
    cursor = page.next
  }
  return all.reverse()
}

async function call(
  node: ServiceNode,
  method: string,
  path: string,
  expected: number,
  sent: Parameters<ServiceNode['caller']['call']>[2],
) {
  const { status, body } = await node.caller.call(method, path, sent)
  if (status !== expected) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  return body
}

function arrivalsIn(file: string): Arrival[] {
  const lines = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line))
}

async function startReceiver(file: string, port = 0) {
  const child: ChildProcess = fork(
    join(import.meta.dirname, 'webhook-receiver.ts'),
    [file, String(port)],
    { execArgv: [] }, // those of a test run would make a test of it
  )
  const [own] = await once(child, 'message')
  return {
    port: Number(own),
    async kill() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
