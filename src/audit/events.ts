import { eventType } from '../events/types.ts'

/**
 * So many events without a change were not recorded, because more than the memory holds waited for
 * the database.
 */
export const auditRecordsLost = eventType<{ count: number }>('audit_records_lost', 'critical')
