import { useEffect, useState } from 'preact/hooks'
import { ApiProblem } from '../../api/client.ts'
import { whileWatched } from '../../while-watched.ts'
import { type AuditRecord, type Filters, readRecords } from './query.ts'

/** Records as they are written, the newest first. */
export interface Tail {
  readonly records: readonly AuditRecord[] | null
  /** How many came since the first look. */
  readonly count: number
  /** Why the last look failed; it is tried again by itself. */
  readonly problem: unknown
  retry(): void
}

const everyMs = 3000
const afterFailureMs = 10_000
const maxShown = 500
const firstShown = 50

/** Follows the audit log from now on, while a person is there. Older records give way to new ones. */
export function useTail(filters: Filters): Tail {
  const [state, setState] = useState<Omit<Tail, 'retry'>>({
    records: null,
    count: 0,
    problem: null,
  })
  const [tries, setTries] = useState(0)
  const key = JSON.stringify(filters)

  useEffect(() => {
    const stop = new AbortController()
    let giveUp = () => {}
    let after: string | undefined
    setState({ records: null, count: 0, problem: null })

    async function look(): Promise<void> {
      try {
        const place = after === undefined ? { limit: firstShown } : { limit: 100, after }
        const found = await readRecords(filters, place, stop.signal)
        after = found.newer
        setState(({ records: before, count }) => {
          const added = unknownTo(before ?? [], found.data)
          return {
            records: merged(added, before ?? []),
            count: before === null ? 0 : count + added.length,
            problem: null,
          }
        })
        wait(found.has_newer ? 0 : everyMs)
      } catch (problem) {
        if (stop.signal.aborted) return
        setState((before) => ({ ...before, problem }))
        // A refusal of what was asked for stays one; a login that was declined waits for the button.
        if (isPassing(problem)) wait(afterFailureMs)
      }
    }

    function wait(milliseconds: number): void {
      if (!stop.signal.aborted) giveUp = whileWatched(milliseconds, look)
    }

    void look()
    return () => {
      stop.abort()
      giveUp()
    }
    // `filters` is made anew at each rendering; `key` tells whether they differ.
  }, [key, tries])

  return { ...state, retry: () => setTries(tries + 1) }
}

function isPassing(problem: unknown): boolean {
  return (
    problem instanceof ApiProblem &&
    (problem.status === 0 || problem.status === 429 || problem.status >= 500)
  )
}

/** Without the records that an earlier look found: a look begins before those that were under way. */
function unknownTo(
  before: readonly AuditRecord[],
  found: readonly AuditRecord[],
): readonly AuditRecord[] {
  const known = new Set(before.map(({ id }) => id))
  return found.filter(({ id }) => !known.has(id))
}

function merged(
  added: readonly AuditRecord[],
  before: readonly AuditRecord[],
): readonly AuditRecord[] {
  return [...added, ...before].toSorted((one, other) => newestFirst(one, other)).slice(0, maxShown)
}

function newestFirst(one: AuditRecord, other: AuditRecord): number {
  return one.at === other.at ? other.number - one.number : one.at < other.at ? 1 : -1
}
