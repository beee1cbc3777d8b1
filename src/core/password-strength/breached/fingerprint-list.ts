import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * A list of texts as sorted fingerprints of 40 bits: the repository contains no text, and less than
 * one text in a million is found by mistake. Made by scripts in tools/.
 */
export const fingerprintBytes = 5

/** The fingerprint of a text: the first 40 bits of its SHA-256. */
export function fingerprint(text: string): number {
  return hash('sha256', text, 'buffer').readUIntBE(0, fingerprintBytes)
}

/** Answers whether the list in a file holds a text. Reads the file at first use. */
export function fingerprintList(file: string): (text: string) => boolean {
  const has = fingerprintsIn(file)
  return (text) => has(fingerprint(text))
}

/**
 * Answers whether the list in a file holds the text of a SHA-256, given as hex digits; the text is
 * found only if it stands in the list as it is. Reads the file at first use.
 */
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
