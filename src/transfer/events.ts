import { eventType } from '../events/types.ts'

export const sensitiveCreate = eventType<{ what: 'account_import'; count: number }>(
  'sensitive_create',
)

/** An export has begun; `hashes`: with those of the passwords. */
export const sensitiveRead = eventType<{ what: 'account_export'; hashes: boolean }>(
  'sensitive_read',
)
