import type { Family } from '../../core/measurements/family.ts'
import type { Polled } from '../../core/workers/workers.ts'

interface WorkerFamilies {
  readonly families: readonly (readonly Family[])[]
  readonly silent: number
}

/**
 * A silent worker keeps its last counters: a sum that falls and rises would look like a restart.
 * Its gauges are dropped as outdated.
 */
export function createWorkerFamilies(): { take(polled: readonly Polled[]): WorkerFamilies } {
  let last: ReadonlyMap<number, readonly Family[]> = new Map()
  return {
    take(polled) {
      const answers = polled.map(({ answer, pid }) => {
        if (Array.isArray(answer)) return { pid, families: answer as readonly Family[] }
        return { pid, families: (last.get(pid) ?? []).filter(({ type }) => type !== 'gauge') }
      })
      last = new Map(answers.map(({ families, pid }) => [pid, families]))
      return {
        families: answers.map(({ families }) => families),
        silent: polled.filter(({ answer }) => !Array.isArray(answer)).length,
      }
    },
  }
}
