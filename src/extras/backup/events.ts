import { eventType } from '../../core/events/types.ts'

/** The user of the operating system that ran the command. */
type OfMachine = { readonly uid: number | null }

export const backupMade = eventType<OfMachine & { file: string; sha256: string; keys: boolean }>(
  'backup_made',
)

/** A backup that the service should make by itself was not made; it is tried again after a while. */
export const backupFailed = eventType<{ detail: string; attempts: number }>(
  'backup_failed',
  'critical',
)

/** An older backup of the service's own was removed after a newer one was good. */
export const backupRemoved = eventType<{ file: string }>('backup_removed')

/** An administrator has a backup made now. */
export const backupRequested = eventType<{ run: number }>('backup_requested')

export const backupRestored = eventType<
  OfMachine & {
    file: string
    created_at: string
    users: number
    logins_kept: boolean
    verified: boolean
  }
>('backup_restored')

/** The database was moved; `to` is the host and the name of the new one. */
export const databaseMoved = eventType<OfMachine & { to: string; users: number }>('database_moved')

export function ofMachine(): OfMachine {
  return { uid: process.getuid?.() ?? null }
}
