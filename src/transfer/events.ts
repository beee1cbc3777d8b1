import { eventType } from '../events/types.ts'

export const sensitiveCreate = eventType<{ what: 'account_import'; count: number }>(
  'sensitive_create',
)

/**
 * An export has begun; `hashes` tells whether it includes password hashes. Or an operator was told
 * why a request was refused, or would be: `of` is its id, or what was asked about.
 */
export const sensitiveRead = eventType<
  | { what: 'account_export'; hashes: boolean }
  | { what: 'explain'; of: string; user_id: number | null }
>('sensitive_read')
