import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'audit',
  tag: 'Audit log',
  tables: [
    { name: 'audit_records', key: ['number'], givesIds: true, needsKeys: true },
    { name: 'audit_chains', key: ['chain'], needsKeys: true },
    { name: 'audit_subjects', key: ['subject'], needsKeys: true },
    { name: 'audit_checkpoints', key: ['number'], needsKeys: true },
    { name: 'audit_tombstones', key: ['chain'], needsKeys: true },
    {
      name: 'erasures',
      key: ['id'],
      givesIds: true,
      needsKeys: true,
      person: {
        column: 'user_id',
        onDelete: { kept: 'what is left to be done, for ten minutes' },
        excluded: 'there is none before the erasure',
      },
    },
    { name: 'audit_erasures_unlisted', key: ['through'], needsKeys: true },
    { name: 'audit_verifications', key: [], leftOut: 'of the installation that verified' },
    { name: 'audit_checkpoint_keys', key: ['key_id'], needsKeys: true },
  ],
  events: fileBeside(import.meta.url, './events'),
  settings: ['AUDIT_CHECKPOINT_SECONDS', 'AUDIT_RETENTION_DAYS', 'AUDIT_SINKS'],
  commands: [
    {
      rows: [
        {
          name: 'audit export',
          summary: 'Writes the records of the audit log as lines of JSON, the oldest first',
        },
      ],
      file: fileBeside(import.meta.url, './export-command'),
    },
    {
      rows: [
        {
          name: 'audit verify',
          summary:
            'Verifies that no record of the audit log was changed, removed or added, and names the first that was',
        },
      ],
      file: fileBeside(import.meta.url, './verify-command'),
      settings: ['AUDIT_SINKS'],
    },
  ],
  personalData: async (needs) => (await import('./personal-data.ts')).sectionsOf(needs),
  parts: () => import('./parts.ts'),
}
