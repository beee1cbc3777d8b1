import { resolve } from 'node:path'
import { assertStrongPassphrase } from '../secret-strength/passphrase.ts'
import { integer, optional, secret } from './kinds.ts'

/** The least length of a new passphrase of a backup, whatever it is made of. */
export const leastPassphrase = 12

/** The settings of the backups that the service makes by itself. */
export const backupSettings = {
  BACKUP_DIR: optional({
    shown: '(no backups by itself)',
    doc: 'A folder, which must be there, in which the service makes backups by itself, encrypted and read back. With several nodes it is a folder that all of them share, or one node alone has the setting. docs/backup.md',
    parse: (value) => resolve(value),
  }),
  BACKUP_EVERY_HOURS: integer({
    default: 24,
    min: 1,
    doc: 'From the beginning of one of these backups to that of the next, in hours.',
  }),
  BACKUP_KEEP: integer({
    default: 7,
    min: 1,
    doc: 'How many of these backups are kept; older ones are removed after a new one is good, so that the folder needs room for one more.',
  }),
  BACKUP_PASSPHRASE: secret({
    doc: 'Encrypts these backups as a whole: at least 70 bits, such as six words that dice choose, or what `openssl rand -base64 16` prints. Keep a copy elsewhere: nothing else opens a backup. Required with BACKUP_DIR.',
    check: assertPassphrase,
  }),
}

function assertPassphrase(text: string): void {
  if (text.length < leastPassphrase) {
    throw new Error(`must have at least ${leastPassphrase} characters`)
  }
  try {
    assertStrongPassphrase(text)
  } catch {
    throw new Error(
      'could be guessed: take six words that dice choose, or what `openssl rand -base64 16` prints',
    )
  }
}
