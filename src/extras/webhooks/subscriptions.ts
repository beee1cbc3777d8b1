import { atEnd } from '../../core/database/commit.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isPostgres } from '../../core/database/transactions.ts'
import { namesOfEvent } from '../../core/events/types.ts'
import type { Needs } from '../../core/module/services.ts'
import { chosenEvents, isChosen } from './endpoints.ts'
import { webhookDeliveryFailed, webhookTested } from './events.ts'
import { outboxStore } from './outbox-store.ts'

/** The events that the enabled endpoints subscribe to, in memory: an event without a subscription costs nothing. */
export interface WebhookSubscriptions {
  /** Whether an endpoint wants events of a type. `current` comes before, in the transaction. */
  wants(type: string): boolean
  /** The ids of the endpoints that want events of a type, in their order. */
  endpointsFor(type: string): readonly string[]
  isEmpty(): boolean
  /** Reads the endpoints, in the transaction, if this process has changed them since. */
  current(db: DatabaseOrTransaction): Promise<void>
  /** Reads them if any process has changed them since; in a transaction, if one is given. */
  refresh(trx?: DatabaseOrTransaction): Promise<void>
  /** This process has changed an endpoint. */
  changed(): void
  /**
   * Has the other workers of this machine read the endpoints before their next event. Other nodes, and
   * the service after a command, read them within about a second.
   */
  announce(): Promise<void>
}

interface Chosen {
  readonly id: string
  readonly events: readonly string[]
}

const none: readonly string[] = []

/** Events about deliveries: sent to an endpoint, they would cause further ones. */
const unsent = new Set([webhookDeliveryFailed.name, webhookTested.name])

const topic = 'webhook endpoints'

export function createWebhookSubscriptions({
  db,
  feed,
  knownEvents,
  workers,
}: Pick<Needs, 'db' | 'feed' | 'knownEvents' | 'workers'>): WebhookSubscriptions {
  let endpoints: readonly Chosen[] = []
  let byType = new Map<string, readonly string[]>()
  let isStale = true
  let seenVersion: number | undefined
  let seenState: string | undefined
  workers.onAsked(topic, changed)

  return {
    wants: (type) => endpointsFor(type).length > 0,
    endpointsFor,
    isEmpty: () => endpoints.length === 0,

    async current(trx) {
      if (!isStale) return
      // What it reads of its own changes counts only if they are committed.
      atEnd(trx, (end) => {
        if (end !== 'committed') isStale = true
      })
      await read(trx)
    },

    async refresh(trx = db) {
      const version = feed.version()
      // On PostgreSQL the version rests while no request asks for it.
      if (!isStale && version === seenVersion && !isPostgres(trx)) return
      const state = await outboxStore(trx).choiceState()
      if (isStale || state !== seenState) await read(trx)
      seenState = state
      seenVersion = version
    },

    changed,
    announce: async () => void (await workers.askOthers(topic)),
  }

  function changed(): void {
    isStale = true
  }

  function endpointsFor(type: string): readonly string[] {
    if (endpoints.length === 0 || unsent.has(type)) return none
    const known = byType.get(type)
    if (known) return known
    const names = namesOfEvent(knownEvents, type)
    const found = endpoints
      .filter(({ events }) => names.some((name) => isChosen(events, name)))
      .map(({ id }) => id)
    byType.set(type, found) // the types stand in the code: there are few
    return found
  }

  async function read(from: DatabaseOrTransaction): Promise<void> {
    isStale = false // a change during the read makes it stale again
    try {
      const rows = await outboxStore(from).chosen()
      endpoints = rows.map((row) => ({ id: row.id, events: chosenEvents(row) }))
      byType = new Map()
    } catch (error) {
      isStale = true
      throw error
    }
  }
}
