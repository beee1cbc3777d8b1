import { readFileSync } from 'node:fs'
import { bearer, cookieOf, startNode } from './node.ts'
import { waitMs } from './waiting.ts'

export interface MemoryFigures {
  readonly requests: number
  /** Answers that no load should cause. */
  readonly failures: Readonly<Record<number, number>>
  readonly maxResidentMebibytes: number
  readonly exited: boolean
}

/** R12: a small heap under a mixed load. */
export async function loadWithSmallHeap({
  heapMebibytes,
  seconds,
  users = 2000,
}: {
  heapMebibytes: number
  seconds: number
  /** Who is in the list of everybody. */
  users?: number
}): Promise<MemoryFigures> {
  const node = await startNode({ flags: [`--max-old-space-size=${heapMebibytes}`] })
  try {
    const { caller } = node
    const { process: child } = node.service
    const headers = bearer(await node.token())
    const session = await node.login('session')
    const cookie = cookieOf(session)
    const json = { name: 'N', email: 'n@example.org' }
    const seed = Array.from({ length: users }, () =>
      caller.call('POST', '/users', { headers, json }),
    )
    await Promise.all(seed)
    // 70 % bearer, 15 % session, 10 % lists of everybody, and writes, 5 % logins.
    const mix = [
      ...Array(14).fill(() => caller.call('GET', '/api/me', { headers })),
      ...Array(3).fill(() => caller.call('GET', '/api/session', { headers: { cookie } })),
      () => caller.call('GET', '/users', { headers }),
      () => caller.call('POST', '/users', { headers, json }),
      () => node.login('token'),
    ] as const
    const until = performance.now() + seconds * 1000
    const failures: Record<number, number> = {}
    let requests = 0
    let most = 0
    const load = Array.from({ length: 64 }, async (_, n) => {
      for (let turn = n; performance.now() < until; turn += 1) {
        const { status } = await mix[turn % mix.length]()
        requests += 1
        if (status >= 200 && status < 300) continue
        failures[status] = (failures[status] ?? 0) + 1
        if (status === 0) await waitMs(10)
      }
    })
    while (performance.now() < until && child.exitCode === null) {
      most = Math.max(most, residentMebibytes(child.pid))
      await waitMs(100)
    }
    await Promise.all(load)
    const exited = child.exitCode !== null || child.signalCode !== null
    return { requests, failures, maxResidentMebibytes: Math.round(most), exited }
  } finally {
    await node.remove()
  }
}

function residentMebibytes(pid: number | undefined): number {
  const [, kibibytes = '0'] =
    /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) / 1024
}
