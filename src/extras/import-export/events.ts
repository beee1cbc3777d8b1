import { eventType } from '../../core/events/types.ts'

export const sensitiveCreate = eventType<{ what: 'account_import'; count: number }>(
  'sensitive_create',
)
