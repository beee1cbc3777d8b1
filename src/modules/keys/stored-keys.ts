import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { keyStore, type SealedKey } from './store.ts'

/** All stored keys, sealed, newest first. */
export function storedKeys(db: DatabaseOrTransaction): Promise<SealedKey[]> {
  return keyStore(db).all()
}
