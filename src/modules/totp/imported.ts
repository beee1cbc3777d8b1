import type { Random } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { KeySet } from '../keys/key-set.ts'
import { seal } from '../keys/seal.ts'
import { contextOf } from './kind.ts'
import { totpStore } from './store.ts'

export interface TotpSealing {
  readonly random: Random
  readonly keys: Pick<KeySet, 'dataKey'>
  readonly now: number
}

export interface ImportedSecret {
  readonly userId: number
  readonly secret: Uint8Array
}

/** RFC 4226 section 4 asks for 16 bytes; products have made 10. */
export const importedSecretBytes = { min: 10, max: 64 } as const

/** Confirmed secrets of accounts that have none yet. The caller sets `secondFactor`. */
export async function storeImportedSecrets(
  trx: DatabaseOrTransaction,
  secrets: readonly ImportedSecret[],
  { random, keys, now }: TotpSealing,
): Promise<void> {
  const sealed = secrets.map(({ userId, secret }) => ({
    userId,
    sealed: seal(random, keys.dataKey, contextOf(userId), secret),
  }))
  await totpStore(trx).insertConfirmed(sealed, now)
}
