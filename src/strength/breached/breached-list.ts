import { join } from 'node:path'
import { fingerprintList } from './fingerprint-list.ts'

/**
 * The shipped blocklist of breached passwords. Made by tools/breached-list.ts; SOURCE.md names its
 * sources.
 */
export const listFile = join(import.meta.dirname, 'passwords.bin')

/** Whether the list holds a text, which must be in lower case and NFC. */
export const isListed = fingerprintList(listFile)
