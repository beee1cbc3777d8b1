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

/** Null if the record or checkpoint is gone. Personal fields of erased persons are null. */
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
  // Applications need the id of a deleted user; the id alone identifies no person.
  const target = record.target ?? (userId === null ? null : { user_id: userId, username: null })
  return content === 'full' ? { ...record, target } : withoutPersons({ ...record, target })
}

/** Keeps ids, times, codes, numbers and digests. */
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
