import { isoTime } from '../../../core/lib/clock.ts'
import type { Fork, NamedCheckpoint, Verification } from './report.ts'

/** Times are ISO 8601. */
export function shownVerification(found: Verification) {
  const { checked, first, fork, lastCheckpoint, lastOutside, uncovered } = found
  return {
    ok: first === null,
    first,
    problem_count: found.problemCount,
    problems: [...found.problems],
    fork: fork && shownFork(fork),
    checked: { ...checked },
    erased: found.erased,
    last_checkpoint: lastCheckpoint && shownCheckpoint(lastCheckpoint),
    last_outside: lastOutside && shownCheckpoint(lastOutside),
    uncovered: {
      records: uncovered.records,
      since: uncovered.since === null ? null : isoTime(uncovered.since),
    },
    notes: [...found.notes],
  }
}

function shownFork({ from, to, lines, at, restore }: Fork) {
  return {
    ...{ from, to, lines, at: isoTime(at) },
    restore: restore && { ...restore, at: isoTime(restore.at) },
  }
}

function shownCheckpoint({ number, at }: NamedCheckpoint) {
  return { number, at: isoTime(at) }
}
