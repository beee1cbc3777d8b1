import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * Sorted 40-bit fingerprints: the repository contains no passwords; false positives below one in a
 * million.
 */
export const fingerprintBytes = 5

/** The first 40 bits of SHA-256. */
export function fingerprint(text: string): number {
  return hash('sha256', text, 'buffer').readUIntBE(0, fingerprintBytes)
}

/** Reads the file at first use. */
export function fingerprintList(file: string): (text: string) => boolean {
  const has = fingerprintsIn(file)
  return (text) => has(fingerprint(text))
}

/** Finds exact texts by SHA-256 in hex. Reads the file at first use. */
export function hashList(file: string): (hex: string) => boolean {
  const has = fingerprintsIn(file)
  return (hex) => has(Buffer.from(hex, 'hex').readUIntBE(0, fingerprintBytes))
}

function fingerprintsIn(file: string): (wanted: number) => boolean {
  let list: Buffer | undefined
  return (wanted) => {
    list ??= readFileSync(file)
    return holds(list, wanted)
  }
}

function holds(list: Buffer, wanted: number): boolean {
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
