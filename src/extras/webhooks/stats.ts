import { sql } from 'kysely'
import type { Database } from '../../core/database/database.ts'
import type { Clock } from '../../core/lib/clock.ts'

export interface WebhookStats {
  /**
   * Age of the oldest waiting event; 0 if none. Failing endpoints are separate: their owners must
   * act.
   */
  oldestWaitingSeconds(): Promise<{ readonly answering: number; readonly failing: number }>
  endpoints(): Promise<Readonly<Record<(typeof endpointStates)[number], number>>>
}

export const endpointStates = ['enabled', 'disabled', 'failed'] as const

export function createWebhookStats({
  clock,
  db,
}: {
  readonly clock: Clock
  readonly db: Database
}): WebhookStats {
  return {
    async oldestWaitingSeconds() {
      const oldest = sql<number | null>`(select min(at) from webhook_deliveries
        where endpoint = webhook_endpoints.id and state = 'waiting')`
      const rows = await db
        .selectFrom('webhook_endpoints')
        .leftJoin('webhook_health', 'webhook_health.endpoint', 'webhook_endpoints.id')
        .where('webhook_endpoints.state', '=', 'enabled')
        .select((eb) => eb('webhook_health.failing_since', 'is not', null).as('isFailing'))
        .select(oldest.as('at'))
        .execute()
      const waiting = await db
        .selectFrom('webhook_events')
        .select('at')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst()
      const ages = (isFailing: boolean) =>
        rows.filter((row) => Boolean(row.isFailing) === isFailing).map(({ at }) => at)
      return {
        answering: ageOf([...ages(false), waiting?.at ?? null]),
        failing: ageOf(ages(true)),
      }
    },

    async endpoints() {
      const rows = await db
        .selectFrom('webhook_endpoints')
        .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
        .groupBy('state')
        .execute()
      const counts = new Map<string, number>(rows.map(({ state, count }) => [state, Number(count)]))
      const of = (state: string) => counts.get(state) ?? 0
      return { enabled: of('enabled'), disabled: of('disabled'), failed: of('failed') }
    },
  }

  function ageOf(times: readonly (number | null)[]): number {
    let earliest = Number.POSITIVE_INFINITY
    for (const at of times) if (at !== null) earliest = Math.min(earliest, Number(at))
    return earliest === Number.POSITIVE_INFINITY ? 0 : Math.max(0, clock.now() - earliest) / 1000
  }
}
