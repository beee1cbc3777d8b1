import { readdirSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { callerOf } from './http.ts'
import { bearer, isReady, startNode } from './node.ts'
import { waitUntil } from './waiting.ts'

export interface DescriptorFigures {
  /** Statuses of a caller that was connected before. */
  readonly kept: readonly number[]
  readonly exited: boolean
  /** From the moment the others left, until a new caller was served. */
  readonly recoveredMs: number
  readonly exitCode: number | null
}

/** R11: many more idle connections than the process may have descriptors. */
export async function runOutOfDescriptors({
  limit,
  connections,
}: {
  limit: number
  connections: number
}): Promise<DescriptorFigures> {
  const node = await startNode({ shell: `ulimit -n ${limit}; exec "$@"` })
  const { hostname, port } = new URL(node.service.url)
  const sockets: Socket[] = []
  const late = callerOf(node.service.url, { keepAlive: false })
  try {
    const headers = bearer(await node.token())
    for (let count = 0; count < connections; count += 1) {
      sockets.push(createConnection(Number(port), hostname).on('error', () => {}))
    }
    const { pid } = node.service.process
    await waitUntil('no descriptors', () => readdirSync(`/proc/${pid}/fd`).length >= limit - 1)
    const kept: number[] = []
    for (let count = 0; count < 20; count += 1) {
      kept.push((await node.caller.call('GET', '/users?limit=1', { headers })).status)
      const json = { name: 'N', email: 'n@example.org' }
      kept.push((await node.caller.call('POST', '/users', { headers, json })).status)
    }
    for (const socket of sockets) socket.destroy()
    const recoveredMs = await waitUntil('recovery', async () => {
      return (await late.call('GET', '/users?limit=1', { headers })).status === 200 && isReady(node)
    })
    const exited = node.service.process.exitCode !== null
    return { kept, exited, recoveredMs, exitCode: await node.stop() }
  } finally {
    for (const socket of sockets) socket.destroy()
    late.close()
    await node.remove()
  }
}
