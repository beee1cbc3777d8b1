import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JWK } from 'jose'

/** The examples of RFCs; `section` of each names its place. */
export interface RfcVectors {
  readonly rfc4231: {
    readonly hmacSha256: readonly { key: string; data: string; mac: string }[]
  }
  readonly rfc4648: { readonly base64: readonly (readonly [text: string, encoded: string])[] }
  readonly rfc7515: {
    readonly tokens: readonly {
      readonly id: string
      readonly alg: string
      readonly jwk?: JWK
      readonly compact: string
      readonly payload: string
    }[]
  }
  readonly rfc7617: {
    readonly credentials: readonly { user_id: string; password: string; header: string }[]
  }
  readonly rfc7636: { readonly verifier: string; readonly challenge: string }
  readonly rfc7638: { readonly jwk: JWK; readonly thumbprint: string }
}

export const rfcVectors: RfcVectors = read(join(import.meta.dirname, 'vectors/rfc.json'))

// These are too large for the repository: Wycheproof, the JOSE cookbook, JSONTestSuite.
const shared = join(import.meta.dirname, '../../shared')
const folder = process.env.TEST_VECTORS || join(shared, 'vectors')

/** The path of a file of published vectors; null if the machine has none. */
export function vectors<T>(path: string): T | null {
  const file = join(folder, path)
  return existsSync(file) ? read(file) : null
}

/** Declares a test of such a file; it is skipped if the machine has none. */
export function vectorsTest(path: string, name: string, work: () => Promise<void> | void): void {
  const skip = existsSync(join(folder, path)) ? false : `${path} is not in TEST_VECTORS`
  test(name, { skip }, work)
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T // the caller knows the shape of the file
}

/** Reads the lines of a list in the folder of vectors; null if the machine has none. */
export function sharedLines(path: string): string[] | null {
  const file = join(shared, path)
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : null
}
