import {
  type Check,
  CouldNotCheck,
  type Found,
  type Level,
  type Mend,
} from '../../core/checks/check.ts'
import { untranslated, type Words } from '../../core/lib/languages.ts'
import { reasonOf } from '../../core/reason.ts'

export interface Finding {
  readonly check: string
  readonly level: Level
  readonly what: Words
  readonly why: Words
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
    found = [{ what: notChecked(error), level: 'unknown' }]
  }
  return found.map((one) => findingOf(check, one))
}

function notChecked(error: unknown): Words {
  const reason = reasonOf(error)
  const words = error instanceof CouldNotCheck && !error.cause ? error.words : untranslated(reason)
  return { en: `Not checked: ${words.en}`, de: `Nicht geprüft: ${words.de}` }
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
