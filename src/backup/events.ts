import { eventType } from '../events/types.ts'

/** Which user of the machine took or brought all accounts. */
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

/** To a host and its database. */
export const databaseMoved = eventType<OfMachine & { to: string; users: number }>('database_moved')

export function ofMachine(): OfMachine {
  return { uid: process.getuid?.() ?? null }
}
