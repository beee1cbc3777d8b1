import type { Family } from '../../core/measurements/family.ts'
import type { Polled } from '../../core/workers/workers.ts'

/** The metrics of the other workers, for one scrape. */
interface WorkerFamilies {
  readonly families: readonly (readonly Family[])[]
  /** How many did not answer. */
  readonly silent: number
}

/**
 * Takes the answers of the other workers. One that is silent counts as it did when it last answered:
 * a sum that falls and rises again would look like a restart, and all that it had counted like new.
 * Its gauges are left out, because they tell of the present.
 */
export function createWorkerFamilies(): { take(polled: readonly Polled[]): WorkerFamilies } {
  let last: ReadonlyMap<number, readonly Family[]> = new Map()
  return {
    take(polled) {
      const answers = polled.map(({ answer, pid }) => {
        if (Array.isArray(answer)) return { pid, families: answer as readonly Family[] } // of own()
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
