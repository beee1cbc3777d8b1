import { join } from 'node:path'
import { fingerprintList } from './fingerprint-list.ts'

/**
 * The shipped list of passwords that breaches have made known. Made by tools/breached-list.ts;
 * where it comes from: SOURCE.md.
 */
export const listFile = join(import.meta.dirname, 'passwords.bin')

/** Whether the list holds a text, which is to be in lower case and NFC. */
export const isListed = fingerprintList(listFile)
