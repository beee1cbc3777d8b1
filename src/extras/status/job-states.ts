import type { JobMeasurements } from '../../core/measurements/measurements.ts'
import type { Needs } from '../../core/module/services.ts'

/** Epoch milliseconds. */
export interface JobState {
  readonly name: string
  readonly everyMs: number
  readonly lastRunAt: number | null
  readonly lastSuccessAt: number | null
  readonly lastFailureAt: number | null
  readonly failures: number
  /** `waiting`: no run yet. */
  readonly result: 'succeeded' | 'failed' | 'waiting'
  /** No success for three times the expected duration. */
  readonly isOverdue: boolean
}

export interface JobStates {
  /** By name; the worst state over all processes. */
  read(): Promise<JobState[]>
}

declare module '../../core/workers/topics.ts' {
  interface PollTopics {
    'states of jobs': Topic<[], readonly JobState[]>
  }
}

/** Avoids reporting frequent jobs at their first delay. */
const leastOverdueMs = 60_000

export function createJobStates({
  clock,
  measurements,
  workers,
}: Pick<Needs, 'clock' | 'measurements' | 'workers'>): JobStates {
  const startedAt = clock.now()
  workers.onAsked('states of jobs', own)

  return {
    async read() {
      const polled = await workers.pollOthers('states of jobs')
      const all = [own(), ...polled.map(({ answer = [] }) => answer)].flat()
      const byName = Map.groupBy(all, ({ name }) => name)
      return [...byName.values()].flatMap((states) => states.toSorted(byTrouble).slice(0, 1))
    },
  }

  function own(): JobState[] {
    const now = clock.now()
    return [...measurements.jobs].flatMap(([name, job]) => {
      const { everyMs } = job
      return everyMs === null ? [] : [stateOf(name, { ...job, everyMs }, now)]
    })
  }

  function stateOf(
    name: string,
    job: JobMeasurements & { readonly everyMs: number },
    now: number,
  ): JobState {
    const { everyMs, failed, lastFailureAt, lastResult, lastRunAt, lastSuccessAt } = job
    const since = lastSuccessAt ?? startedAt
    return {
      ...{ name, everyMs, lastRunAt, lastSuccessAt, lastFailureAt, failures: failed },
      result: lastResult ?? 'waiting',
      isOverdue: now - since > Math.max(3 * everyMs, leastOverdueMs),
    }
  }
}

/** Worst first. */
function byTrouble(one: JobState, other: JobState): number {
  const trouble = ({ isOverdue, result }: JobState) =>
    (isOverdue ? 2 : 0) + (result === 'failed' ? 1 : 0)
  const longest = (one.lastSuccessAt ?? 0) - (other.lastSuccessAt ?? 0)
  return trouble(other) - trouble(one) || longest
}
