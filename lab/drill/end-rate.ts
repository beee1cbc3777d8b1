import { readFileSync } from 'node:fs'
import type { RestartableCluster } from '../../test/faults/cluster.ts'
import { type ServiceNode, startNode } from '../../test/faults/node.ts'
import { processorMs } from '../bench/processes.ts'
import { type Credentials, credentialsOf, mintSettings } from './credentials.ts'

export interface EndFigures {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Per end, in milliseconds: of the node that ends, of each other node, and of PostgreSQL. */
  readonly processor: { readonly near: number; readonly far: number; readonly server: number }
  /** Tokens that another node accepted after the answer. */
  readonly accepted: number
}

export interface Nodes {
  readonly near: ServiceNode
  readonly others: readonly ServiceNode[]
  readonly cluster: RestartableCluster
  readonly database: string
  readonly made: Credentials
}

export async function startNodes(
  cluster: RestartableCluster,
  count: number,
  entry?: string,
): Promise<Nodes> {
  const database = await cluster.createDatabase()
  const url = cluster.url(database)
  const env = { ...mintSettings, DATABASE_URL: url, DATABASE_TIMEOUT_MS: '20000' }
  const options = { env, ...(entry && { entry }) }
  const near = await startNode(options)
  const others: ServiceNode[] = []
  while (others.length < count - 1) others.push(await startNode(options))
  return { near, others, cluster, database, made: await credentialsOf(near, url, 16) }
}

interface EndOptions {
  readonly callers: number
  readonly ends: number
  /** Whether the other nodes are asked before and after. */
  readonly isChecked?: boolean
}

/** Ends tokens at one node, by several callers at once. */
export async function measureEnds(
  { near, others, cluster, made }: Nodes,
  { callers, ends, isChecked = true }: EndOptions,
): Promise<EndFigures> {
  const tokens: Record<string, string>[] = []
  while (tokens.length < ends) {
    const person = made.people[tokens.length % made.people.length]
    if (person) tokens.push((await made.token(person)).headers)
  }
  const use = ({ caller }: ServiceNode, headers: Record<string, string>) =>
    caller.call('GET', '/api/me', { headers })
  for (const node of isChecked ? others : []) {
    await Promise.all(tokens.slice(0, callers).map((each) => use(node, each)))
  }
  const before = processors(near, others, cluster)
  const startedAt = performance.now()
  const answers: number[] = []
  let next = 0
  const ended: Record<string, string>[] = []
  const end = async () => {
    while (next < ends) {
      const headers = tokens[next++] ?? {}
      const { status, milliseconds } = await near.caller.call('POST', '/logout', { headers })
      if (status !== 200) throw new Error(`the end was answered ${status}`)
      answers.push(milliseconds)
      ended.push(headers)
    }
  }
  await Promise.all(Array.from({ length: callers }, end))
  const took = performance.now() - startedAt
  const after = processors(near, others, cluster)
  let accepted = 0
  for (const node of isChecked ? others : []) {
    for (const headers of ended.slice(-callers)) {
      if ((await use(node, headers)).status === 200) accepted += 1
    }
  }
  answers.sort((a, b) => a - b)
  const at = (part: number) => answers[Math.ceil(answers.length * part) - 1] ?? Number.NaN
  const spent = (which: 'near' | 'far' | 'server') => (after[which] - before[which]) / ends
  return {
    perSecond: (ends * 1000) / took,
    p50: at(0.5),
    p99: at(0.99),
    processor: { near: spent('near'), far: spent('far'), server: spent('server') },
    accepted,
  }
}

function processors(
  near: ServiceNode,
  others: readonly ServiceNode[],
  cluster: RestartableCluster,
) {
  const of = ({ service }: ServiceNode) => processorMs(service.process.pid ?? 0)
  const far = others.reduce((sum, node) => sum + of(node), 0) / Math.max(1, others.length)
  return { near: of(near), far, server: serverMs(cluster) }
}

/** Processor time of the server's processes that run now, in milliseconds. */
export function serverMs({ pid }: RestartableCluster): number {
  const first = pid()
  const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').trim().split(' ')
  return [first, ...children.filter(Boolean).map(Number)].reduce((sum, each) => {
    try {
      return sum + processorMs(each)
    } catch {
      return sum
    }
  }, 0)
}

/** Microseconds of processor time of a node for a request, by path. */
export async function readsOf({ near, made }: Nodes): Promise<[path: string, number][]> {
  const [person] = made.people
  if (!person) throw new Error('no account')
  const reads = [
    ['/api/me', (await made.token(person)).headers],
    ['/api/protected', (await made.session(person)).headers],
  ] as const
  const found: [string, number][] = []
  for (const [path, headers] of reads) {
    let count = 0
    const ask = async () => {
      const until = performance.now() + readMs
      while (performance.now() < until) {
        await near.caller.call('GET', path, { headers })
        count += 1
      }
    }
    await Promise.all([ask(), ask(), ask(), ask()]) // warms up
    count = 0
    const before = processorMs(near.service.process.pid ?? 0)
    await Promise.all([ask(), ask(), ask(), ask()])
    found.push([path, ((processorMs(near.service.process.pid ?? 0) - before) * 1000) / count])
  }
  return found
}

const readMs = 3000
