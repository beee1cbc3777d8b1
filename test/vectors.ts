import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JWK } from 'jose'

/** What the RFCs print, as they print it; `section` of each says where. */
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

// Too large to be quoted: Wycheproof, the JOSE cookbook, JSONTestSuite.
const shared = join(import.meta.dirname, '../../shared')
const folder = process.env.TEST_VECTORS || join(shared, 'vectors')

/** A file of vectors that are published elsewhere; null on a machine that has none. */
export function vectors<T>(path: string): T | null {
  const file = join(folder, path)
  return existsSync(file) ? read(file) : null
}

/** A test of such a file; told as skipped on a machine that has none. */
export function vectorsTest(path: string, name: string, work: () => Promise<void> | void): void {
  const skip = existsSync(join(folder, path)) ? false : `${path} is not in TEST_VECTORS`
  test(name, { skip }, work)
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T // its shape is what the caller knows of the file
}

/** The lines of a list that lies beside the project; null on a machine that has none. */
export function sharedLines(path: string): string[] | null {
  const file = join(shared, path)
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : null
}
