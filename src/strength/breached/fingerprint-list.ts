import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * A list of texts as sorted fingerprints of 40 bits, so that no text stands in the repository and a
 * wrong hit is rarer than one in a million. Made by the scripts of tools/ that say so.
 */
export const fingerprintBytes = 5

/** What a list holds of a text: the first 40 bits of its SHA-256. */
export function fingerprint(text: string): number {
  return hash('sha256', text, 'buffer').readUIntBE(0, fingerprintBytes)
}

/** Answers whether the list in a file holds a text. Reads the file at first use. */
export function fingerprintList(file: string): (text: string) => boolean {
  let list: Buffer | undefined
  return (text) => {
    list ??= readFileSync(file)
    return holds(list, fingerprint(text))
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
