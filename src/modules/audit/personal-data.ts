import { type ExportSection, sectionBatch } from '../../core/module/export-section.ts'
import type { AuditLog } from './audit-log.ts'
import type { Position } from './cursor.ts'
import type { OpenedRecord } from './opened-record.ts'

export function sectionsOf({
  auditLog,
}: {
  readonly auditLog: Pick<AuditLog, 'actsOf'>
}): readonly ExportSection[] {
  return [
    {
      name: 'audit',
      tables: ['audit_records', 'audit_subjects'],
      isList: true,
      async *read(_db, userId) {
        let before: Position | null | undefined
        do {
          const part = { limit: sectionBatch, ...(before && { before }) }
          const { records, next } = await auditLog.actsOf(userId, part)
          yield records.map((record) => actOf(record, userId))
          before = next
        } while (before)
      },
    },
  ]
}

/** Of another person, only the id. */
function actOf({ target, details, ...record }: OpenedRecord, userId: number) {
  const isOwn = target === null || target.user_id === userId
  return {
    id: record.id,
    at: record.at,
    type: record.type,
    outcome: record.outcome,
    reason: record.reason,
    username: record.actor.username,
    address: record.address,
    proxies: record.proxies,
    user_agent: record.user_agent,
    session: record.session,
    token: record.token,
    key: record.key,
    scheme: record.scheme,
    factors: record.factors,
    method: record.method,
    route: record.route,
    status: record.status,
    request_id: record.request_id,
    target: target === null ? null : { user_id: target.user_id },
    details: isOwn ? details : null,
  }
}
