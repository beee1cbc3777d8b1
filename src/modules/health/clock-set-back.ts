import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Clock, isoTime } from '../../core/lib/clock.ts'
import type { Words } from '../../core/lib/languages.ts'

// Clock skew between nodes.
const toleranceMs = 60_000

/**
 * Returns a sentence, in each language, if the clock is earlier than the latest key or audit record. Reads an index or
 * a few rows.
 */
export async function clockSetBack(
  db: DatabaseOrTransaction,
  clock: Pick<Clock, 'now'>,
): Promise<Words | null> {
  const key = await db
    .selectFrom('keys')
    .select((eb) => eb.fn.max('created_at').as('at'))
    .executeTakeFirst()
  const record = await db
    .selectFrom('audit_records')
    .select('at')
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  const [keyAt, recordAt] = [Number(key?.at ?? 0), record?.at ?? 0]
  const now = clock.now()
  if (Math.max(keyAt, recordAt) <= now + toleranceMs) return null
  const what = recordAt >= keyAt ? 'record of the audit log' : 'key'
  const at = isoTime(Math.max(keyAt, recordAt))
  return {
    en: `The latest ${what} is of ${at}, and this machine has ${isoTime(now)}: its clock is behind, or was ahead then.`,
    de: `${recordAt >= keyAt ? 'Der jüngste Eintrag des Protokolls ist' : 'Der jüngste Schlüssel ist'} von ${at}, und dieser Rechner hat ${isoTime(now)}: Seine Uhr geht nach, oder sie ging damals vor.`,
  }
}
