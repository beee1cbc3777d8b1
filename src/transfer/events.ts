import { eventType } from '../events/types.ts'

export const sensitiveCreate = eventType<{ what: 'account_import'; count: number }>(
  'sensitive_create',
)

/** An export has begun; `hashes` tells whether it includes password hashes. */
export const sensitiveRead = eventType<{ what: 'account_export'; hashes: boolean }>(
  'sensitive_read',
)
