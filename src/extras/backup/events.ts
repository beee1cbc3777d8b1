import { eventType } from '../../core/events/types.ts'

/** The operating system user of the command. */
type OfMachine = { readonly uid: number | null }

export const backupMade = eventType<OfMachine & { file: string; sha256: string; keys: boolean }>(
  'backup_made',
  {
    groups: ['service'],
    description: '`gatehouse backup`, or the service by itself, after the file was read back',
    fields: { uid: '', file: '', sha256: '', keys: '' },
    words: { en: 'Backup made', de: 'Sicherung gemacht' },
  },
)

export const backupFailed = eventType<{ detail: string; attempts: number }>('backup_failed', {
  level: 'critical',
  groups: ['service'],
  description:
    'a backup that the service should make by itself is not made; it is tried again ([backup.md](backup.md#by-itself))',
  fields: { detail: '', attempts: 'since the last good one' },
  words: { en: 'Backup failed', de: 'Sicherung fehlgeschlagen' },
})

export const backupRemoved = eventType<{ file: string }>('backup_removed', {
  groups: [],
  description: 'a backup that the service made by itself is removed after newer ones',
  fields: { file: '' },
  words: { en: 'Old backup removed', de: 'Alte Sicherung entfernt' },
})

export const backupRequested = eventType<{ run: number }>('backup_requested', {
  groups: ['administration'],
  description: 'an administrator has a backup made now',
  fields: { run: '' },
  words: { en: 'Backup asked for', de: 'Sicherung verlangt' },
})

export const backupRestored = eventType<
  OfMachine & {
    file: string
    created_at: string
    users: number
    logins_kept: boolean
    verified: boolean
  }
>('backup_restored', {
  groups: ['administration'],
  inOverview: true,
  description: '`gatehouse restore`',
  fields: { uid: '', file: '', created_at: '', users: '', logins_kept: '', verified: '' },
  words: { en: 'Backup restored', de: 'Sicherung eingespielt' },
})

export const databaseMoved = eventType<OfMachine & { to: string; users: number }>(
  'database_moved',
  {
    groups: [],
    description: '`gatehouse move`',
    fields: { uid: '', to: 'host and name of the new database', users: '' },
    words: { en: 'Database moved', de: 'Datenbank umgezogen' },
  },
)

export function ofMachine(): OfMachine {
  return { uid: process.getuid?.() ?? null }
}
