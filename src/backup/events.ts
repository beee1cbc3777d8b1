import { eventType } from '../events/types.ts'

/** The user of the operating system that ran the command. */
type OfMachine = { readonly uid: number | null }

export const backupMade = eventType<OfMachine & { file: string; sha256: string; keys: boolean }>(
  'backup_made',
)

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
