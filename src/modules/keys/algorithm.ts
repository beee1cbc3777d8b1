import type { Config } from '../../core/config/load.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { SigningAlgorithm } from './signing-key.ts'
import { keyStore, type SealedKey } from './store.ts'

type Listed = Pick<SealedKey, 'purpose' | 'algorithm' | 'retiredAt' | 'isOlder'>

/**
 * The algorithm of new access tokens. `TOKEN_ALGORITHM` decides, and then `TOKEN_SECRET`, which is
 * for HS256. Without them an installation keeps the algorithm of its keys, the newest first, so
 * that all nodes agree; a new one, without any, gets RS256. docs/adr/0035
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
  // Version 0.2.0 signed with HS256 unless the setting said otherwise, and then made such a key.
  if (inUse.length > 0) {
    return inUse.some(({ algorithm }) => algorithm === 'HS256') ? 'HS256' : 'RS256'
  }
  // What signed until now, if anything did, was a key of the operator.
  if (token.privateKey) return 'RS256'
  return token.previousSecret || keys.some(({ isOlder }) => isOlder) ? 'HS256' : 'RS256'
}

/** The same for the keys of a database. */
export async function accessAlgorithmOf(
  db: DatabaseOrTransaction,
  config: Pick<Config, 'token'>,
): Promise<SigningAlgorithm> {
  return accessAlgorithm(config, await keyStore(db).all())
}
