import type { Selectable } from 'kysely'
import { derivedKey, keyedDigest } from '../../core/crypto/digest.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { Needs } from '../../core/module/services.ts'
import { storedKeysOf } from '../../modules/audit/subject-keys.ts'
import { seal, unseal } from '../../modules/keys/seal.ts'

export interface MailContent {
  /** As stored with the account, or typed by its owner. */
  readonly address: string
  readonly language: Language
  /** `MessageFacts` of its message. */
  readonly facts: object
}

export type SealedRow = Pick<Selectable<Schema['mails']>, 'id' | 'user_id' | 'ready_at'>

/** Encrypts personal data: dumps show no address, and erasure drops the person's key. */
export function createSealedMail({ keys, random }: Pick<Needs, 'keys' | 'random'>) {
  const indexKey = derivedKey(keys.dataKey, 'mail addresses')
  return {
    /** @param key of the account's person, else the data key */
    seal: (id: string, content: MailContent, key: Uint8Array = keys.dataKey): string =>
      seal(random, key, `mail ${id}`, Buffer.from(JSON.stringify(content))),
    /** @throws Error if the row was edited, or the text belongs to another row */
    open: (id: string, sealed: string, key: Uint8Array = keys.dataKey): MailContent =>
      JSON.parse(unseal(key, `mail ${id}`, sealed).toString()),

    /** Keys by row id; none for an erased person. */
    async keysOf(
      db: DatabaseOrTransaction,
      rows: readonly SealedRow[],
    ): Promise<Map<string, Uint8Array>> {
      const persons = rows.flatMap((row) =>
        row.ready_at === null || row.user_id === null ? [] : [row.user_id],
      )
      const known = await storedKeysOf(db, keys.dataKey, persons)
      return new Map(
        rows.flatMap(({ id, ready_at, user_id }) => {
          const key = ready_at === null ? keys.dataKey : known.get(user_id ?? 0)
          return key ? [[id, key] as const] : []
        }),
      )
    },

    /** Keyed digest of a canonical address, for counting and lookup. */
    indexOf: (key: string): string => keyedDigest(indexKey, key),
  }
}
