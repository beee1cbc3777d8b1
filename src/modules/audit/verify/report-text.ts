import { shown } from '../../../core/cli/output.ts'
import type { Fork, NamedCheckpoint, Problem, Verification } from './report.ts'
import { shownVerification } from './shown.ts'

interface About {
  /** Of the checkpoints outside; null if there is none. */
  readonly file: string | null
  /** Epoch milliseconds. */
  readonly now: number
}

/** For `--json`. */
export function recordOf(found: Verification, { file, now }: About) {
  const { last_checkpoint, last_outside, uncovered, notes, ...others } = shownVerification(found)
  const aged = (checkpoint: NamedCheckpoint | null) =>
    checkpoint && { age_seconds: age(checkpoint.at, now) }
  return {
    ...others,
    last_checkpoint: last_checkpoint && { ...last_checkpoint, ...aged(found.lastCheckpoint) },
    last_outside: last_outside && { ...last_outside, ...aged(found.lastOutside) },
    outside_file: file,
    uncovered,
    notes,
  }
}

/** Lines for a terminal. */
export function textOfReport(found: Verification, about: About): string {
  const { checked, erased, lastCheckpoint, lastOutside, uncovered, problems, fork } = found
  const { file, now } = about
  const lines = [
    `${counted(checked.records, 'record')} in ${counted(checked.chains, 'chain')}, ${counted(checked.checkpoints, 'checkpoint')} and ${counted(checked.tombstones, 'tombstone')} checked`,
    lastCheckpoint
      ? `last checkpoint: ${named(lastCheckpoint, now)}`
      : 'there is no checkpoint yet: a running service makes one within AUDIT_CHECKPOINT_SECONDS',
    file === null
      ? 'no checkpoints outside the database were given: a cut tail or an old copy cannot be seen'
      : `last checkpoint outside: ${lastOutside ? named(lastOutside, now) : 'none'}, in ${file} (${counted(checked.outside ?? 0, 'line')})`,
    uncovered.since === null
      ? 'checkpoints cover every record'
      : `${counted(uncovered.records, 'record')} since ${time(uncovered.since)} not covered by a checkpoint yet`,
    ...(erased > 0 ? [`${counted(erased, 'record')} of erased persons`] : []),
    ...found.notes,
    ...problems.map((problem) => `BAD ${sentenceOf(problem)}`),
    ...(found.problemCount > problems.length
      ? [`and ${found.problemCount - problems.length} more`]
      : []),
    ...(fork ? [adviceOn(fork)] : []),
  ]
  return lines.join('\n')
}

/** Why the command fails. */
export function verdict(first: Problem, { problemCount }: Verification): string {
  const more = problemCount > 1 ? ` (the first of ${problemCount} problems)` : ''
  return `the audit log is not whole: ${sentenceOf(first)}${more}`
}

/** A changed row could contain terminal control sequences. */
function sentenceOf({ chain, place, number, id, detail }: Problem): string {
  const parts = [
    ...(number === null ? [] : [`number ${number}`]),
    ...(id === null ? [] : [`id ${id}`]),
    ...(chain === null ? [] : [`chain ${chain}`]),
    ...(place === null ? [] : [`place ${place}`]),
  ]
  return shown(parts.length > 0 ? `${parts.join(', ')}: ${detail}` : detail)
}

function adviceOn({ from, to, at, restore }: Fork): string {
  const range = from === to ? `checkpoint ${from}` : `checkpoints ${from} to ${to}`
  if (!restore) {
    return `The database lacks ${range}, the newest of ${time(at)}, and no restore of a backup is recorded after it: records were cut off, or an older copy has replaced the database. Keep the file outside and a copy of the database as evidence.`
  }
  const made = restore.created_at === null ? '' : `, a backup of ${restore.created_at}`
  return `A FORK BY A RESTORE: the database lacks ${range}, the newest of ${time(at)}, because of the restore that was recorded at ${time(restore.at)} (record ${restore.id}): ${shown(restore.file ?? 'of a file')}${made}. If you know of that restore, move the file outside away and keep it: it proves what was lost, and the service begins a new one. If not, an older copy has replaced the database.`
}

function named({ number, at }: NamedCheckpoint, now: number): string {
  return `${number} of ${time(at)}, ${counted(age(at, now), 'second')} old`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function age(at: number, now: number): number {
  return Math.max(0, Math.round((now - at) / 1000))
}

function time(at: number): string {
  return new Date(at).toISOString()
}
