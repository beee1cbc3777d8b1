import type { Check } from './check.ts'
import { insideChecks } from './inside.ts'
import { settingsRefused } from './offline-checks.ts'
import { outsideChecks } from './outside.ts'

/** A row of docs/doctor.md. */
export type CheckRow = Omit<Check<never>, 'find'>

/** The checks by where they look, for the documents and for --except. */
export const checksByPlace: Readonly<Record<'inside' | 'outside', readonly CheckRow[]>> = {
  inside: [settingsRefused, ...insideChecks],
  outside: outsideChecks,
}

export const allChecks: readonly CheckRow[] = Object.values(checksByPlace).flat()
