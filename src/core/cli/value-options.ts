import { dateTimeMessage, parseDateTime } from '../lib/date-time.ts'
import { type CommandCall, textOf, UsageError } from './command.ts'

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * A time, or a duration before now (`24h`), converted to epoch milliseconds; undefined if absent.
 * @throws UsageError
 */
export function timeOption(call: CommandCall, name: string): ((now: number) => number) | undefined {
  const text = textOf(call, name)
  if (text === undefined) return undefined
  const ago = durationOf(text)
  if (ago !== undefined) return (now) => Math.max(0, now - ago)
  const at = parseDateTime(text)
  if (at !== undefined) return () => at
  throw new UsageError(`--${name} ${dateTimeMessage.en}, or a duration like 24h`)
}

/** Milliseconds; undefined if invalid. */
function durationOf(text: string): number | undefined {
  const [, number, unit] = /^([0-9]{1,9})([smhd])$/.exec(text) ?? []
  return number === undefined ? undefined : Number(number) * unitMs[unit as keyof typeof unitMs]
}

/** Undefined if absent. @throws UsageError for an unknown value */
export function choiceOption<Choice extends string>(
  call: CommandCall,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const typed = textOf(call, name)
  const choice = choices.find((known) => known === typed)
  if (typed !== undefined && choice === undefined) {
    throw new UsageError(`--${name} is one of ${choices.join(', ')}`)
  }
  return choice
}
