import type { Language } from '../config/people-settings.ts'
import { derivedKey, keyedDigest } from '../kernel/digest.ts'
import type { Random } from '../kernel/random.ts'
import type { KeySet } from '../keys/key-set.ts'
import { seal, unseal } from '../keys/seal.ts'

/** What a row of the outbox holds encrypted. */
export interface MailContent {
  /** As it is stored with the account, or was typed by the person who owns it. */
  readonly address: string
  readonly language: Language
  /** `MessageFacts` of its message. */
  readonly facts: object
}

export interface SealedMail {
  seal(id: string, content: MailContent): string
  /** @throws Error if the row was changed by hand, or belongs to another one */
  open(id: string, sealed: string): MailContent
  /** Keyed digest of a canonical address, by which mail to it is counted and found. */
  indexOf(key: string): string
}

export interface SealedMailDeps {
  readonly keys: Pick<KeySet, 'dataKey'>
  readonly random: Random
}

/** Encrypts what names a person, under the data key: a dump of the database has no address. */
export function createSealedMail({ keys, random }: SealedMailDeps): SealedMail {
  const indexKey = derivedKey(keys.dataKey, 'mail addresses')
  return {
    seal: (id, content) =>
      seal(random, keys.dataKey, `mail ${id}`, Buffer.from(JSON.stringify(content))),
    open: (id, sealed) => JSON.parse(unseal(keys.dataKey, `mail ${id}`, sealed).toString()),
    indexOf: (key) => keyedDigest(indexKey, key),
  }
}
