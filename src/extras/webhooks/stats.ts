import { sql } from 'kysely'
import type { Database } from '../../core/database/database.ts'
import type { Clock } from '../../core/lib/clock.ts'

/** The statistics of webhooks that the monitoring reads. */
export interface WebhookStats {
  /**
   * How long the oldest event waits that an enabled endpoint is to get, in seconds; 0: none waits.
   * Apart for endpoints that have failed since they last took something: those are for their owners.
   */
  oldestWaitingSeconds(): Promise<{ readonly answering: number; readonly failing: number }>
  /** How many endpoints are in each state. */
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

  /** In seconds, of the earliest of these times. */
  function ageOf(times: readonly (number | null)[]): number {
    let earliest = Number.POSITIVE_INFINITY
    for (const at of times) if (at !== null) earliest = Math.min(earliest, Number(at))
    return earliest === Number.POSITIVE_INFINITY ? 0 : Math.max(0, clock.now() - earliest) / 1000
  }
}
