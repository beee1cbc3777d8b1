import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { keyStore, type SealedKey } from './store.ts'

/** All stored keys, sealed, the newest first: for readers of the key set that change nothing. */
export function storedKeys(db: DatabaseOrTransaction): Promise<SealedKey[]> {
  return keyStore(db).all()
}
