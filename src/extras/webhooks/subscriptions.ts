import { atEnd } from '../../core/database/commit.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { namesOfEvent } from '../../core/events/types.ts'
import type { Needs } from '../../core/module/services.ts'
import { chosenEvents, isChosen } from './endpoints.ts'
import { webhookDeliveryFailed, webhookTested } from './events.ts'
import { outboxStore } from './outbox-store.ts'

/** Kept in memory: an event without a subscription costs nothing. */
export interface WebhookSubscriptions {
  /** Requires `current` in the transaction. */
  wants(type: string): boolean
  endpointsFor(type: string): readonly string[]
  isEmpty(): boolean
  /** Reloads if any process may have changed an endpoint. */
  current(db: DatabaseOrTransaction): Promise<void>
  /** Like `current`, but outside the transaction of an event. */
  refresh(trx?: DatabaseOrTransaction): Promise<void>
  changed(): void
}

interface Chosen {
  readonly id: string
  readonly events: readonly string[]
}

const none: readonly string[] = []

/** Delivery events would cause more deliveries. */
const unsent = new Set([webhookDeliveryFailed.name, webhookTested.name])

export function createWebhookSubscriptions({
  db,
  feed,
  knownEvents,
}: Pick<Needs, 'db' | 'feed' | 'knownEvents'>): WebhookSubscriptions {
  let endpoints: readonly Chosen[] = []
  let byType = new Map<string, readonly string[]>()
  let isStale = true
  let seenVersion: number | undefined
  let reads = 0
  let lastRead = 0
  feed.onChanges?.((subjects) => {
    if (!subjects || subjects.includes('webhook_endpoints')) changed()
  })

  return {
    wants: (type) => endpointsFor(type).length > 0,
    endpointsFor,
    isEmpty: () => endpoints.length === 0,

    async current(trx) {
      if (isSure()) return
      // The read includes uncommitted changes: a rollback makes a new read necessary.
      atEnd(trx, (end) => {
        if (end !== 'committed') isStale = true
      })
      await read(trx)
    },

    async refresh(trx = db) {
      if (!isSure()) await read(trx)
    },

    changed,
  }

  function isSure(): boolean {
    if (isStale || !feed.isCurrent()) return false
    return feed.onChanges !== undefined || feed.version() === seenVersion
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
    byType.set(type, found)
    return found
  }

  async function read(from: DatabaseOrTransaction): Promise<void> {
    reads += 1
    const number = reads
    isStale = false // a change during the read sets the flag again
    const version = feed.version()
    try {
      const rows = await outboxStore(from).chosen()
      if (number < lastRead) return // a later read was faster
      lastRead = number
      endpoints = rows.map((row) => ({ id: row.id, events: chosenEvents(row) }))
      byType = new Map()
      seenVersion = version
    } catch (error) {
      isStale = true
      throw error
    }
  }
}
