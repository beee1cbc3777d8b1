import { isoTime } from '../../core/lib/clock.ts'
import type { AuditLog } from '../../modules/audit/audit-log.ts'
import type { Checkpoint } from '../../modules/audit/checkpoint-form.ts'
import type { OpenedRecord } from '../../modules/audit/opened-record.ts'
import type { Endpoint } from './endpoints.ts'
import type { DueDelivery } from './queue-store.ts'

export interface PayloadsDeps {
  readonly auditLog: Pick<AuditLog, 'at'>
  readonly checkpoint: (number: number) => Promise<Checkpoint | undefined>
}

/**
 * Makes the bodies of messages, in the order of the deliveries; null where the record, or the
 * checkpoint, is gone. Personal fields are opened with the keys of the persons, so they are null for
 * one who was erased meanwhile.
 */
export async function payloadsOf(
  { auditLog, checkpoint }: PayloadsDeps,
  deliveries: readonly DueDelivery[],
  content: Endpoint['content'],
): Promise<(string | null)[]> {
  const places = deliveries.flatMap(({ chain, place }) =>
    chain === null || place === null ? [] : [{ chain, place }],
  )
  const records = places.length > 0 ? await auditLog.at(places) : []
  const byId = new Map(records.map((record) => [record.id, record]))
  return Promise.all(
    deliveries.map(async ({ message, type, at, chain, checkpoint: number, target_id }) => {
      const data =
        number !== null
          ? await checkpoint(number)
          : chain !== null
            ? dataOf(byId.get(message), target_id, content)
            : {}
      return data ? JSON.stringify({ type, timestamp: isoTime(at), data }) : null
    }),
  )
}

function dataOf(
  record: OpenedRecord | undefined,
  userId: number | null,
  content: Endpoint['content'],
) {
  if (!record) return undefined
  // An application must learn which user was deleted: the id of one who was erased names no one.
  const target = record.target ?? (userId === null ? null : { user_id: userId, username: null })
  return content === 'full' ? { ...record, target } : withoutPersons({ ...record, target })
}

/** The record without what names a person: ids, times, codes, numbers and digests stay. */
function withoutPersons(record: OpenedRecord): OpenedRecord {
  const { actor, target, details } = record
  return {
    ...record,
    actor: { ...actor, username: null },
    target: target && { ...target, username: null },
    details: details && Object.fromEntries(Object.entries(details).filter(isNoText)),
    address: null,
    proxies: [],
    user_agent: null,
  }
}

function isNoText([, value]: [string, unknown]): boolean {
  return typeof value === 'number' || typeof value === 'boolean' || value === null
}
