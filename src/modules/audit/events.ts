import { eventType } from '../../core/events/types.ts'

export const sensitiveRead = eventType<
  | {
      what: 'account_export'
      hashes: boolean
    }
  | {
      what: 'audit'
      filters: readonly string[]
    }
  | {
      what: 'personal_data'
      user_id: number
    }
  | {
      what: 'explain'
      of: string
      user_id: number | null
    }
>('sensitive_read', {
  groups: ['reads'],
  description:
    'accounts are exported, the audit log is read, a refusal is explained, or the data of a person is read',
  fields: {
    what: '`account_export`, `audit`, `explain`, `personal_data`',
    hashes: 'whether the export includes password hashes',
    filters: 'their names, without their values',
    of: 'the id of a request, or what was asked about: `token` or `route`',
    user_id: '',
  },
  words: { en: 'Protected data read', de: 'Geschützte Daten gelesen' },
})

export const auditRecordsLost = eventType<{ count: number }>('audit_records_lost', {
  level: 'critical',
  groups: ['service'],
  description: 'more events without a change waited for the database than the memory keeps',
  fields: { count: '' },
  words: { en: 'Records of the audit log were lost', de: 'Einträge des Protokolls sind verloren' },
})

export const auditVerificationRequested = eventType<{ verification: number }>(
  'audit_verification_requested',
  {
    groups: [],
    description: 'an administrator has the audit log verified',
    fields: { verification: '' },
    words: { en: 'Verification of the audit log asked for', de: 'Prüfung des Protokolls verlangt' },
  },
)

export const auditVerified = eventType<{
  verification: number
  records: number
  checkpoints: number
}>('audit_verified', {
  groups: [],
  description: 'the audit log was verified, and is whole',
  fields: { verification: '', records: '', checkpoints: '' },
  words: { en: 'Audit log verified: whole', de: 'Protokoll geprüft: vollständig' },
})

export const auditIntegrityFailed = eventType<{
  verification: number
  problems: number
  first: string
}>('audit_integrity_failed', {
  formerly: 'audit_not_whole',
  level: 'critical',
  groups: ['service'],
  description: 'a verification found that records were changed, removed or added',
  fields: {
    verification: '',
    problems: 'how many',
    first: 'what is wrong first, in one sentence',
  },
  words: { en: 'Audit log is not whole', de: 'Protokoll ist nicht vollständig' },
})

export const auditNotVerified = eventType<{ verification: number; detail: string }>(
  'audit_not_verified',
  {
    level: 'warn',
    groups: [],
    description: 'a verification came to no result',
    fields: { verification: '', detail: '' },
    words: { en: 'Audit log could not be verified', de: 'Protokoll konnte nicht geprüft werden' },
  },
)

export const auditKeysErased = eventType<{ keys: number }>('audit_keys_erased', {
  groups: [],
  description: 'keys of persons in the audit log were erased after their users',
  fields: { keys: 'how many' },
  words: { en: 'Keys of erased persons removed', de: 'Schlüssel gelöschter Personen entfernt' },
})

export const auditErasuresCounted = eventType<{ erasures: number }>('audit_erasures_counted', {
  groups: [],
  description:
    'lists, once after the upgrade, the keys that versions before 0.10.0 erased without a list',
  fields: {
    erasures: 'how many keys this record lists: there are several records if there are many keys',
  },
  words: { en: 'Erasures before the upgrade counted', de: 'Löschungen vor dem Upgrade gezählt' },
})
