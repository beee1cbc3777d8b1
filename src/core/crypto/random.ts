import { randomBytes } from 'node:crypto'

/** The source of randomness: a cryptographic generator in production, a seeded one in tests. */
export interface Random {
  bytes(length: number): Uint8Array
}

export const systemRandom: Random = { bytes: (length) => randomBytes(length) }

/** `length` random bytes as base64url, for ids, tokens and passwords. Like no option: without `-` first. */
export function randomText(random: Random, length: number): string {
  return Buffer.from(random.bytes(length)).toString('base64url').replace(/^-/, '_')
}
