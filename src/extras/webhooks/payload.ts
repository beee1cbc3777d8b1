import { isoTime } from '../../core/lib/clock.ts'
import type { AuditLog } from '../../modules/audit/audit-log.ts'
import type { Checkpoint } from '../../modules/audit/checkpoint-form.ts'
import type { OpenedRecord } from '../../modules/audit/opened-record.ts'
import type { Endpoint } from './endpoints.ts'
import type { DueDelivery } from './queue.ts'

export interface PayloadDeps {
  readonly auditLog: Pick<AuditLog, 'at'>
  readonly checkpoint: (number: number) => Promise<Checkpoint | undefined>
}

/**
 * Makes the body of a message; null where the record, or the checkpoint, is gone. Personal fields are
 * opened with the keys of the persons: they are null for a person who was erased in the meantime.
 */
export async function payloadOf(
  { auditLog, checkpoint }: PayloadDeps,
  { at, chain, checkpoint: number, message, place, target_id, type }: DueDelivery,
  content: Endpoint['content'],
): Promise<string | null> {
  const record = async () => {
    const found = chain === null || place === null ? [] : await auditLog.at([{ chain, place }])
    return dataOf(
      found.find(({ id }) => id === message),
      target_id,
      content,
    )
  }
  const data = number !== null ? await checkpoint(number) : chain !== null ? await record() : {}
  return data ? JSON.stringify({ type, timestamp: isoTime(at), data }) : null
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
