import type { Selectable } from 'kysely'
import type { Language } from '../../core/config/languages.ts'
import { derivedKey, keyedDigest } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'
import { storedKeysOf } from '../../modules/audit/subject-keys.ts'
import type { KeySet } from '../../modules/keys/key-set.ts'
import { seal, unseal } from '../../modules/keys/seal.ts'

/** What a row of the outbox holds encrypted. */
export interface MailContent {
  /** As it is stored with the account, or was typed by the person who owns it. */
  readonly address: string
  readonly language: Language
  /** `MessageFacts` of its message. */
  readonly facts: object
}

export interface SealedMail {
  /** @param key of the person whose account it is for; the data key, if it is for none */
  seal(id: string, content: MailContent, key?: Uint8Array): string
  /** @throws Error if the row was changed by hand, or belongs to another one */
  open(id: string, sealed: string, key?: Uint8Array): MailContent
  /** The keys that open rows, by their ids; of an erased person there is none. */
  keysOf(db: DatabaseOrTransaction, rows: readonly SealedRow[]): Promise<Map<string, Uint8Array>>
  /** Keyed digest of a canonical address, by which mail to it is counted and found. */
  indexOf(key: string): string
}

export interface SealedMailDeps {
  readonly keys: Pick<KeySet, 'dataKey'>
  readonly random: Random
}

/** What of a row says under which key it is sealed. */
export type SealedRow = Pick<Selectable<Schema['mails']>, 'id' | 'user_id' | 'ready_at'>

/**
 * Encrypts what names a person: a dump of the database has no address, and none can be opened after
 * an erasure, which drops the person's key.
 */
export function createSealedMail({ keys, random }: SealedMailDeps): SealedMail {
  const indexKey = derivedKey(keys.dataKey, 'mail addresses')
  return {
    seal: (id, content, key = keys.dataKey) =>
      seal(random, key, `mail ${id}`, Buffer.from(JSON.stringify(content))),
    open: (id, sealed, key = keys.dataKey) =>
      JSON.parse(unseal(key, `mail ${id}`, sealed).toString()),

    async keysOf(db, rows) {
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

    indexOf: (key) => keyedDigest(indexKey, key),
  }
}
