import { eventType } from '../events/types.ts'

/**
 * Data that needs protection was read: an export of accounts has begun, the audit log was read, or an
 * operator was told why a request was refused, or would be.
 */
export const sensitiveRead = eventType<
  | {
      what: 'account_export'
      /** Whether it includes password hashes. */
      hashes: boolean
    }
  | {
      what: 'audit'
      /** The names of the filters, without their values. */
      filters: readonly string[]
    }
  | {
      /** All that the service holds of a person, for the person or for an operator. */
      what: 'personal_data'
      user_id: number
    }
  | {
      what: 'explain'
      /** The id of a request, or what was asked about: `token` or `route`. */
      of: string
      user_id: number | null
    }
>('sensitive_read')

/**
 * So many events without a change were not recorded, because more than the memory holds waited for
 * the database.
 */
export const auditRecordsLost = eventType<{ count: number }>('audit_records_lost', 'critical')
