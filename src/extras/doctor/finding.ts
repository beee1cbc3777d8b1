import type { Check, Found, Level, Mend } from '../../core/checks/check.ts'
import { reasonOf } from '../../core/reason.ts'

export interface Finding {
  readonly check: string
  readonly level: Level
  readonly what: string
  readonly why: string
  readonly mend: Mend
}

/** A failed check gives a finding of level `unknown`. */
export async function runCheck<Context>(
  check: Check<Context>,
  context: Context,
): Promise<Finding[]> {
  let found: readonly Found[]
  try {
    found = await check.find(context)
  } catch (error) {
    found = [{ what: `Not checked: ${reasonOf(error)}`, level: 'unknown' }]
  }
  return found.map((one) => findingOf(check, one))
}

export function findingOf(
  { id, level, why, mend }: Pick<Check<never>, 'id' | 'level' | 'why' | 'mend'>,
  found: Found,
): Finding {
  return {
    check: id,
    level: found.level ?? level,
    what: found.what,
    why,
    mend: { ...mend, ...found.mend },
  }
}
