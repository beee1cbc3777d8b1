import { derivedKey } from '../../core/crypto/digest.ts'
import type { Needs } from '../../core/module/services.ts'
import { seal, unseal } from '../../modules/keys/seal.ts'

export type Payload = Readonly<Record<string, unknown>>

/** What the library asks of a storage. */
export interface Adapter {
  find(id: string): Promise<Payload | undefined>
  findByUid(uid: string): Promise<Payload | undefined>
  findByUserCode(code: string): Promise<Payload | undefined>
  upsert(id: string, payload: Payload, seconds: number): Promise<void>
  consume(id: string): Promise<void>
  destroy(id: string): Promise<void>
  revokeByGrantId(grantId: string): Promise<void>
}

/** A key that is derived of the data key: it survives another master key, and a restore. */
export function keyFor(keys: Needs['keys'], purpose: string): () => Buffer {
  const keyOf = new WeakMap<Uint8Array, Buffer>() // a derivation costs more than opening a row
  return () => keyOf.getOrInsertComputed(keys.dataKey, (dataKey) => derivedKey(dataKey, purpose))
}

/** Seals what is stored: the row of another id does not open. */
export function createSealing({ keys, random }: Pick<Needs, 'keys' | 'random'>) {
  const key = keyFor(keys, 'provider artifacts')
  const contextOf = (id: string) => `provider artifact:${id}`
  return {
    seal: (id: string, payload: Payload) =>
      seal(random, key(), contextOf(id), Buffer.from(JSON.stringify(payload))),
    open: (id: string, sealed: string): Payload =>
      JSON.parse(unseal(key(), contextOf(id), sealed).toString()),
  }
}
