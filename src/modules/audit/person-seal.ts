import type { Needs } from '../../core/module/services.ts'
import { seal, unseal } from '../keys/seal.ts'
import { openedOrNull } from './opened-record.ts'
import { openSubjectKey } from './persons.ts'
import { subjectsNamed } from './read-store.ts'

/**
 * Seals texts that may name a person under the person's key, so that an erasure covers the texts;
 * under the data key if no person is known.
 */
export interface PersonSeal {
  /** Null if the person was erased or the key changed: store nothing. */
  seal(pseudonym: string | null, context: string, text: string): Promise<string | null>
  /** Null if erased or changed. */
  open(pseudonym: string | null, context: string, sealed: string): Promise<string | null>
}

export function createPersonSeal({
  db,
  random,
  keys,
}: Pick<Needs, 'db' | 'random' | 'keys'>): PersonSeal {
  return {
    async seal(pseudonym, context, text) {
      const key = await keyOf(pseudonym)
      return key && seal(random, key, context, Buffer.from(text))
    },

    async open(pseudonym, context, sealed) {
      const key = await keyOf(pseudonym)
      try {
        return key && unseal(key, context, sealed).toString()
      } catch {
        return null
      }
    },
  }

  async function keyOf(pseudonym: string | null): Promise<Uint8Array | null> {
    const { data } = keys.audit
    if (pseudonym === null) return data
    const [row] = await subjectsNamed(db, [pseudonym])
    return row ? openedOrNull(() => openSubjectKey(data, row.subject, row.sealed)) : null
  }
}
