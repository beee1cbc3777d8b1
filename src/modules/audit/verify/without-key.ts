import type { DatabaseOrTransaction } from '../../../core/database/database.ts'
import { checkpointStore } from '../checkpoint-store.ts'
import { signedInWithoutKey } from '../subjects-store.ts'

/**
 * The users whose account has signed in since the oldest remaining record and whose key is missing; 100
 * at most. Null if there is no record.
 */
export async function usersWithoutKey(db: DatabaseOrTransaction): Promise<number[] | null> {
  const oldest = await checkpointStore(db).oldestRecord()
  return oldest === null ? null : signedInWithoutKey(db, oldest)
}
