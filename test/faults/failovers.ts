import { Journal } from './journal.ts'
import { basic, bearer, isReady, type ServiceNode, startNode } from './node.ts'
import { startProxy } from './proxy.ts'
import { startReplicated } from './replica.ts'
import { waitMs, waitUntil } from './waiting.ts'

export interface FailoverFigures {
  readonly acknowledged: number
  /** Changes that were acknowledged and are gone. */
  readonly lost: readonly string[]
  /** Tokens that were ended, and are good again at one of the nodes. */
  readonly revived: readonly string[]
  /** Half-written, or an id given twice: at any time. */
  readonly half: readonly string[]
  /** Changes that were acknowledged on the new primary and are gone. */
  readonly lostAfterwards: readonly string[]
  /** From the kill of the primary, until both nodes were ready on the new one. */
  readonly readyMs: number
  /** How often a node told that commits were lost. */
  readonly told: number
  readonly exited: number
  /** What a node answers that reaches the replica before it has taken over. */
  readonly onStandby: { readonly ready: number; readonly read: number; readonly change: number }
}

/**
 * Two nodes under load on a primary; its replica takes over, and the address that both use leads to it.
 * @param unheardMs how long before the end of the primary the replica hears nothing more
 */
export async function failOver({
  isSynchronous,
  changes,
  unheardMs = 0,
}: {
  readonly isSynchronous: boolean
  readonly changes: number
  readonly unheardMs?: number
}): Promise<FailoverFigures> {
  const servers = await startReplicated({ isSynchronous })
  const { primary, replica, database } = servers
  const proxy = await startProxy(primary.socket)
  const nodes: ServiceNode[] = []
  try {
    const env = { DATABASE_URL: `postgres://gatehouse@127.0.0.1:${proxy.port}/${database}` }
    const [one, two] = [await startNode({ env }), await startNode({ env })]
    nodes.push(one, two)
    const journal = new Journal()
    const onStandby = await meetStandby(two, () => proxy.moveTo(replica.socket))
    proxy.moveTo(primary.socket)
    await Promise.all(nodes.map((node) => waitUntil('ready', () => isReady(node))))

    const first = await writeAt(journal, one, two, changes)
    if (unheardMs > 0) {
      await servers.loseReplication()
      await waitMs(unheardMs)
    }
    const killedAt = performance.now()
    await primary.end('SIGKILL')
    journal.stop()
    await first.writing
    await servers.promote()
    proxy.moveTo(replica.socket)
    await Promise.all(nodes.map((node) => waitUntil('ready', () => isReady(node))))
    const readyMs = performance.now() - killedAt

    // A node finds out what the log has lost when it judges its next token; the other hears of it.
    const ended = journal.endedTokens()
    await stillGood(ended.slice(0, 1), nodes)
    if (unheardMs > 0) await waitMs(1000)
    const revived = await stillGood(ended, nodes)
    const { lost, half } = await journal.compare(one)
    const { acknowledged } = journal

    const second = await writeAt(journal, one, two, changes)
    journal.stop()
    await second.writing
    const afterwards = await journal.compare(two)
    return {
      acknowledged,
      lost,
      half: [...half, ...afterwards.half],
      revived,
      lostAfterwards: afterwards.lost,
      readyMs,
      told: nodes.filter(({ service }) => service.output().includes('sys_commits_lost')).length,
      exited: nodes.filter(({ service: { process } }) => process.exitCode !== null).length,
      onStandby,
    }
  } finally {
    for (const node of nodes) await node.remove()
    await proxy.close()
    await servers.remove()
  }
}

/** Resolves while both write, once so many changes more were acknowledged. */
async function writeAt(
  journal: Journal,
  one: ServiceNode,
  two: ServiceNode,
  changes: number,
): Promise<{ readonly writing: Promise<unknown> }> {
  const enough = journal.acknowledged + changes
  const writing = [journal.write(one, { writers: 3, logins: 2 })]
  // The journal names users by how many there were: the second begins once there are some.
  await waitUntil('a few changes', () => journal.acknowledged > enough - changes + 10)
  writing.push(journal.write(two, { writers: 3, logins: 2 }))
  await waitUntil('enough changes', () => journal.acknowledged >= enough, { everyMs: 1 })
  return { writing: Promise.all(writing) }
}

async function meetStandby(
  node: ServiceNode,
  move: () => void,
): Promise<FailoverFigures['onStandby']> {
  const { caller } = node
  const headers = bearer(await node.token())
  const json = { name: 'on a standby', email: 'standby@example.org' }
  move()
  await waitUntil('the standby', async () => !(await isReady(node)))
  const [ready, read, change] = await Promise.all([
    caller.call('GET', '/health/ready'),
    caller.call('GET', '/users?limit=1', { headers }),
    caller.call('POST', '/users', { headers: basic, json }),
  ])
  return { ready: ready.status, read: read.status, change: change.status }
}

async function stillGood(
  tokens: readonly Record<string, string>[],
  nodes: readonly ServiceNode[],
): Promise<string[]> {
  const found: string[] = []
  for (const headers of tokens) {
    for (const [n, { caller }] of nodes.entries()) {
      const { status } = await caller.call('GET', '/api/me', { headers })
      if (status === 200) found.push(`node ${n + 1}: ${headers.authorization?.slice(-12)}`)
    }
  }
  return found
}
