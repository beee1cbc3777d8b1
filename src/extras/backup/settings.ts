import { relative, resolve } from 'node:path'
import { integer, optional, secret, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'
import type { Words } from '../../core/lib/languages.ts'
import { assertStrongPassphrase } from '../../core/secret-strength/passphrase.ts'

export const leastPassphrase = 12

export const settings = {
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

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

export function configure({ values }: Reading) {
  const { BACKUP_DIR: directory, BACKUP_PASSPHRASE: passphrase, DATA_DIR } = values
  const lacksPassphrase = directory !== undefined && !passphrase
  const isBeside = directory !== undefined && isBelow(directory, DATA_DIR)
  return {
    config: {
      backups: {
        /** Undefined: no automatic backups. */
        directory,
        everyHours: values.BACKUP_EVERY_HOURS,
        keep: values.BACKUP_KEEP,
        passphrase,
      },
    },
    mistakes: lacksPassphrase
      ? ['BACKUP_PASSPHRASE must be set with BACKUP_DIR: every backup is encrypted']
      : [],
    warnings: isBeside
      ? ['BACKUP_DIR is in DATA_DIR: what destroys the database destroys its backups']
      : [],
  }
}

function isBelow(path: string, folder: string): boolean {
  return !relative(resolve(folder), path).startsWith('..')
}

/** @throws Error what is wrong, as a sentence that continues a name */
export function assertPassphrase(text: string): void {
  const fault = passphraseFault(text)
  if (fault) throw new Error(fault.en)
}

export function passphraseFault(text: string): Words | null {
  if (text.length < leastPassphrase) {
    return {
      en: `must have at least ${leastPassphrase} characters`,
      de: `muss mindestens ${leastPassphrase} Zeichen haben`,
    }
  }
  try {
    assertStrongPassphrase(text)
    return null
  } catch {
    return {
      en: 'could be guessed: take six words that dice choose, or what `openssl rand -base64 16` prints',
      de: 'lässt sich erraten: Nehmen Sie sechs gewürfelte Wörter, oder was `openssl rand -base64 16` ausgibt',
    }
  }
}
