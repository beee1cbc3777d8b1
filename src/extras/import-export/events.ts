import { eventType } from '../../core/events/types.ts'

export const sensitiveCreate = eventType<{ what: 'account_import'; count: number }>(
  'sensitive_create',
  {
    groups: ['accounts'],
    inOverview: true,
    description: 'accounts are imported',
    fields: { what: '', count: '' },
    words: { en: 'Accounts imported', de: 'Konten importiert' },
  },
)
