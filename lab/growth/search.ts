import { setTimeout as wait } from 'node:timers/promises'
import { callerOf } from '../../test/faults/http.ts'
import { median } from '../bench/report/figure.ts'
import type { Side } from './side.ts'
import { startTable } from './table.ts'

const searchers = 20
const goalMedianMs = 50
const seconds = 4
const pauseMs = 5

/** Searches for texts that all, many, few and no users have, and for a page after the last one. */
const kinds = [
  ['that all match', 'q=example'],
  ['that all match, by name', 'q=example&sort=name'],
  ['that some match', 'q=r77'],
  ['that one matches', 'q=user777%40'],
  ['that repeats itself', `q=${'example.org'.repeat(18)}`],
  ['of two characters', 'q=us'],
  ['far behind the end', 'q=example&page=9007199254740991'],
] as const

export async function proveSearches({ store, seeded, service }: Side): Promise<void> {
  const title = `${store.name}: ms of GET /api/me beside ${searchers} searches at ${seeded.users} users`
  const printFigure = startTable(title, ['longest', 'a search', 'median'])
  for (const [what, query] of kinds) {
    const { own, searches } = await measure(service, `/api/v2/users?${query}`)
    const values = [Math.max(...own), median(searches), median(own)]
    printFigure({ what: `q= ${what}`, values, goal: goalMedianMs })
  }
}

async function measure({ url, bearer: headers }: Side['service'], path: string) {
  const own: number[] = []
  const searches: number[] = []
  let isDone = false
  const searching = Array.from({ length: searchers }, async () => {
    const caller = callerOf(url)
    while (!isDone) {
      const { status, milliseconds } = await caller.call('GET', path, { headers })
      if (status !== 200 && status !== 503) throw new Error(`${path} was answered ${status}`)
      searches.push(milliseconds)
    }
    caller.close()
  })
  const caller = callerOf(url)
  const endAt = performance.now() + seconds * 1000
  while (performance.now() < endAt) {
    const { status, milliseconds } = await caller.call('GET', '/api/me', { headers })
    if (status !== 200) throw new Error(`/api/me was answered ${status}`)
    own.push(milliseconds)
    await wait(pauseMs)
  }
  isDone = true
  await Promise.all(searching)
  caller.close()
  return { own, searches }
}
