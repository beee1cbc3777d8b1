import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The shipped list of passwords that breaches have made known: sorted fingerprints, 40 bits each, so
 * that no password stands in the repository and a wrong hit is rarer than one in a million. Made by
 * tools/breached-list.ts; where it comes from: SOURCE.md.
 */
export const listFile = join(import.meta.dirname, 'passwords.bin')
export const fingerprintBytes = 5

let list: Buffer | undefined

/** What the list holds of a password: the first 40 bits of its SHA-256. */
export function fingerprint(text: string): number {
  return hash('sha256', text, 'buffer').readUIntBE(0, fingerprintBytes)
}

/** Whether the list holds a text, which is to be in lower case and NFC. Reads the file at first use. */
export function isListed(text: string): boolean {
  list ??= readFileSync(listFile)
  const wanted = fingerprint(text)
  let low = 0
  let high = list.length / fingerprintBytes
  while (low < high) {
    const middle = (low + high) >>> 1
    if (list.readUIntBE(middle * fingerprintBytes, fingerprintBytes) < wanted) low = middle + 1
    else high = middle
  }
  const at = low * fingerprintBytes
  return at < list.length && list.readUIntBE(at, fingerprintBytes) === wanted
}
