import { join } from 'node:path'
import { fingerprintList, hashList } from './fingerprint-list.ts'

/** Blocklist from tools/breached-list.ts; sources: SOURCE.md. */
export const listFile = join(import.meta.dirname, 'passwords.bin')

/** Expects lower case, NFC. */
export const isListed = fingerprintList(listFile)

/** By SHA-256 in hex. */
export const isBreachedHash = hashList(listFile)
