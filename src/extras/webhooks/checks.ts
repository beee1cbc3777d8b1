import type { Check, Found } from '../../core/checks/check.ts'
import type { InsideContext, ModuleChecks } from '../../core/checks/context.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import { isoTime } from '../../core/lib/clock.ts'

const failingMs = 3_600_000

const webhooks: Check<InsideContext> = {
  id: 'webhooks',
  level: 'warning',
  passMessage: 'every endpoint of webhooks takes its events',
  why: {
    en: 'Events wait for it and are given up after three days; what goes by them is not told.',
    de: 'Ereignisse warten darauf und werden nach drei Tagen aufgegeben; was über sie läuft, wird nicht gemeldet.',
  },
  mend: {
    do: {
      en: 'Mend the receiver, then enable the endpoint and have its deliveries repeated.',
      de: 'Bringen Sie den Empfänger in Ordnung, schalten Sie dann den Endpunkt ein, und lassen Sie seine Zustellungen wiederholen.',
    },
    setting: `${gatehouse} webhook enable ID && ${gatehouse} webhook redeliver ID`,
  },
  async find({ clock, db }) {
    const failing = await failingEndpoints(db)
    return failing.flatMap(({ id, state, failing_since: since, status }): Found[] => {
      const mend = {
        setting: `${gatehouse} webhook enable ${id} && ${gatehouse} webhook redeliver ${id}`,
      }
      const last = status === null ? 'no answer' : `status ${status}`
      if (state === 'failed') {
        return [
          {
            what: {
              en: `The endpoint ${id} was disabled because it took nothing (${last}).`,
              de: `Der Endpunkt ${id} wurde abgeschaltet, weil er nichts annahm (${status === null ? 'keine Antwort' : `Status ${status}`}).`,
            },
            mend,
          },
        ]
      }
      if (since === null || clock.now() - since < failingMs) return []
      return [
        {
          what: {
            en: `The endpoint ${id} has taken nothing since ${isoTime(since)} (${last}).`,
            de: `Der Endpunkt ${id} nimmt seit ${isoTime(since)} nichts an (${status === null ? 'keine Antwort' : `Status ${status}`}).`,
          },
          mend,
        },
      ]
    })
  },
}

async function failingEndpoints(
  db: DatabaseOrTransaction,
): Promise<{ id: string; state: string; failing_since: number | null; status: number | null }[]> {
  return await db
    .selectFrom('webhook_endpoints')
    .leftJoin('webhook_health', 'webhook_health.endpoint', 'webhook_endpoints.id')
    .select(['id', 'state', 'failing_since', 'status'])
    .where('state', 'in', ['enabled', 'failed'])
    .where((eb) => eb.or([eb('state', '=', 'failed'), eb('failing_since', 'is not', null)]))
    .orderBy('id')
    .limit(20)
    .execute()
}

export const checks: ModuleChecks = { inside: [webhooks] }
