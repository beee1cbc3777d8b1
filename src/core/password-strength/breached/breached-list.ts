import { join } from 'node:path'
import { fingerprintList, hashList } from './fingerprint-list.ts'

/**
 * The shipped blocklist of breached passwords. Made by tools/breached-list.ts; SOURCE.md names its
 * sources.
 */
export const listFile = join(import.meta.dirname, 'passwords.bin')

/** Whether the list holds a text, which must be in lower case and NFC. */
export const isListed = fingerprintList(listFile)

/** Whether a SHA-256 (hex digits) is that of a text of the list. */
export const isBreachedHash = hashList(listFile)
