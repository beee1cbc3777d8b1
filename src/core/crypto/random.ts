import { randomBytes } from 'node:crypto'

/** Seeded in tests. */
export interface Random {
  bytes(length: number): Uint8Array
}

export const systemRandom: Random = { bytes: (length) => randomBytes(length) }

/** base64url without a leading `-`, which looks like an option. */
export function randomText(random: Random, length: number): string {
  return Buffer.from(random.bytes(length)).toString('base64url').replace(/^-/, '_')
}
