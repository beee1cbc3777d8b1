import { eventType } from '../../core/events/types.ts'

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

/** An administrator has the whole log verified. */
export const auditVerificationRequested = eventType<{ verification: number }>(
  'audit_verification_requested',
)

/** The whole log was verified, and nothing was changed, removed or added. */
export const auditVerified = eventType<{
  verification: number
  records: number
  checkpoints: number
}>('audit_verified')

/** The log is not whole. `first`: what is wrong first, in one sentence. */
export const auditNotWhole = eventType<{ verification: number; problems: number; first: string }>(
  'audit_not_whole',
  'critical',
)

/** A verification came to no result. */
export const auditNotVerified = eventType<{ verification: number; detail: string }>(
  'audit_not_verified',
  'warn',
)

/** Keys of persons were erased some time after their users were. The record lists the names of the keys. */
export const auditKeysErased = eventType<{ keys: number }>('audit_keys_erased')

/**
 * Lists the keys that versions before 0.10.0 erased without a record. Every later erasure lists its
 * keys. Several records if there are many keys.
 */
export const auditErasuresCounted = eventType<{ erasures: number }>('audit_erasures_counted')
