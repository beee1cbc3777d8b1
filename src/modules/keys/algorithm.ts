import type { Config } from '../../core/config/load.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { SigningAlgorithm } from './signing-key.ts'
import { keyStore, type SealedKey } from './store.ts'

type Listed = Pick<SealedKey, 'purpose' | 'algorithm' | 'retiredAt' | 'isOlder'>

/**
 * The algorithm of new access tokens: `TOKEN_ALGORITHM`, else HS256 if `TOKEN_SECRET` is set, else
 * the algorithm of the newest key, so that all nodes agree. A new installation gets RS256.
 * docs/adr/0035
 */
export function accessAlgorithm(
  { token }: Pick<Config, 'token'>,
  keys: readonly Listed[],
): SigningAlgorithm {
  if (token.algorithm) return token.algorithm
  if (token.secret) return 'HS256'
  const inUse = keys.filter(({ purpose, retiredAt }) => purpose === 'signing' && retiredAt === null)
  const newest = inUse.find(({ isOlder }) => !isOlder)
  if (newest) return newest.algorithm as SigningAlgorithm // of a signing key
  // Version 0.2.0 signed with HS256 by default.
  if (inUse.length > 0) {
    return inUse.some(({ algorithm }) => algorithm === 'HS256') ? 'HS256' : 'RS256'
  }
  if (token.privateKey) return 'RS256'
  return token.previousSecret || keys.some(({ isOlder }) => isOlder) ? 'HS256' : 'RS256'
}

export async function accessAlgorithmOf(
  db: DatabaseOrTransaction,
  config: Pick<Config, 'token'>,
): Promise<SigningAlgorithm> {
  return accessAlgorithm(config, await keyStore(db).all())
}
