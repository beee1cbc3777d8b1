import { createHmac, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { RestartableCluster } from '../../test/faults/cluster.ts'
import { bearer, type ServiceNode, startNode } from '../../test/faults/node.ts'
import { processorMs } from '../bench/processes.ts'

const tokenSecret = 'the secret of tokens that are made here'
/** Of nodes whose tokens `minted` makes. */
export const mintSettings = { TOKEN_ALGORITHM: 'HS256', TOKEN_SECRET: tokenSecret }

/** Makes tokens of the administrator without logins, which are not what is measured. */
export async function minting(node: ServiceNode): Promise<() => Record<string, string>> {
  const [header = '', claims = ''] = (await node.token()).split('.')
  const payload = JSON.parse(Buffer.from(claims, 'base64url').toString())
  return () => {
    const own = Buffer.from(JSON.stringify({ ...payload, jti: randomUUID() })).toString('base64url')
    const signed = `${header}.${own}`
    const signature = createHmac('sha256', tokenSecret).update(signed).digest('base64url')
    return bearer(`${signed}.${signature}`)
  }
}

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
}

export async function startNodes(
  cluster: RestartableCluster,
  count: number,
  entry?: string,
): Promise<Nodes> {
  const env = { ...mintSettings, DATABASE_URL: cluster.url(await cluster.createDatabase()) }
  const options = { env, ...(entry && { entry }) }
  const near = await startNode(options)
  const others: ServiceNode[] = []
  while (others.length < count - 1) others.push(await startNode(options))
  return { near, others, cluster }
}

/** Ends tokens at one node, by several callers at once. */
export async function measureEnds(
  { near, others, cluster }: Nodes,
  { callers, ends }: { readonly callers: number; readonly ends: number },
): Promise<EndFigures> {
  const mint = await minting(near)
  const tokens = Array.from({ length: ends }, mint)
  const use = ({ caller }: ServiceNode, headers: Record<string, string>) =>
    caller.call('GET', '/api/me', { headers })
  for (const node of others)
    await Promise.all(tokens.slice(0, callers).map((each) => use(node, each)))
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
  for (const node of others) {
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

/** Of all processes of the server, those that have ended included. */
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
