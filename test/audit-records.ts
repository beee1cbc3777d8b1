import type { Insertable } from 'kysely'
import type { DatabaseOrTransaction } from '../src/core/database/database.ts'
import type { Schema } from '../src/core/database/schema.ts'
import { transact } from '../src/core/database/transactions.ts'
import type { Deps } from '../src/core/runtime/deps.ts'
import {
  addressIndex,
  isPerson,
  newSubjectKey,
  openSubjectKey,
  type PersonalFields,
  personIndex,
  pseudonymOf,
  type Side,
  sealFields,
  sealSubjectKey,
  serviceIndex,
  serviceKeyName,
} from '../src/modules/audit/persons.ts'
import { subjectRow } from '../src/modules/audit/read-store.ts'
import { ulid } from '../src/modules/audit/ulid.ts'
import { loadKeySet } from '../src/modules/keys/key-set.ts'
import { seededRandom } from './random.ts'

/** A record to insert, as the service would write it; what is absent has a plain value. */
export interface SeededRecord {
  readonly type?: string
  readonly at?: number
  readonly chain?: string
  readonly place?: number
  readonly requestId?: string
  readonly facts?: object
  readonly reason?: string
  readonly actor?: { readonly subject: string } & PersonalFields
  /** Sealed under the key of this subject. */
  readonly target?: { readonly subject: string } & PersonalFields
}

type Row = Insertable<Schema['audit_records']>

/**
 * Answers a function that inserts records with seals, keys and indexes of the service. Their macs are
 * no macs: a reader does not verify them.
 */
export async function recordSeeder(deps: Deps) {
  const { audit } = await loadKeySet(deps, { mayAddSigner: false })
  const random = seededRandom(7)
  const keys = new Map<string, Uint8Array>()
  const places = new Map<string, number>()

  async function keyOf(trx: DatabaseOrTransaction, subject: string) {
    if (!isPerson(subject)) return { key: audit.service, name: serviceKeyName }
    const known = keys.get(subject) ?? (await storedKey(trx, subject))
    const key = known ?? newSubjectKey(random)
    const name = pseudonymOf(key)
    if (!known) {
      const sealed = sealSubjectKey(random, audit.data, subject, key)
      const row = { subject, pseudonym: name, sealed }
      await trx.insertInto('audit_subjects').values(row).execute()
    }
    keys.set(subject, key)
    return { key, name }
  }

  async function storedKey(trx: DatabaseOrTransaction, subject: string) {
    const row = await subjectRow(trx, subject)
    return row && openSubjectKey(audit.data, subject, row.sealed)
  }

  async function side(trx: DatabaseOrTransaction, name: Side, id: string, fields: PersonalFields) {
    const subject = String(fields.subject)
    const by = await keyOf(trx, subject)
    const { subject: _, ...payload } = fields
    return {
      [`${name}_key`]: by.name,
      [`${name}_sealed`]: sealFields(
        random,
        by.key,
        { id, side: name },
        name === 'actor' ? fields : payload,
      ),
      [`${name}_index`]: isPerson(subject)
        ? personIndex(by.key, name)
        : serviceIndex(audit.index, subject, name),
    }
  }

  async function rowOf(trx: DatabaseOrTransaction, given: SeededRecord): Promise<Row> {
    const { type = 'seeded', at = deps.clock.now(), chain = 'seeds', facts = {} } = given
    const { actor, target, requestId = null, reason = null } = given
    const place = given.place ?? (places.get(chain) ?? 0) + 1
    places.set(chain, place)
    const id = ulid(at, random)
    return {
      ...{ chain, place, id, at, type, level: 'info', outcome: 'success', reason },
      request_id: requestId,
      facts: JSON.stringify(facts),
      ...(actor && (await side(trx, 'actor', id, actor))),
      ...(target && (await side(trx, 'target', id, target))),
      address_index: actor?.address ? addressIndex(audit.index, String(actor.address)) : null,
      mac: '',
    }
  }

  /** Inserts the chain of a record that it begins. */
  async function openChains(trx: DatabaseOrTransaction, records: readonly SeededRecord[]) {
    for (const chain of new Set(records.map(({ chain = 'seeds' }) => chain))) {
      const row = { chain, instance: 'test', version: '0', opened_at: 0, closed_at: null }
      await trx
        .insertInto('audit_chains')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
  }

  async function insert(trx: DatabaseOrTransaction, records: readonly SeededRecord[]) {
    await openChains(trx, records)
    for (let from = 0; from < records.length; from += 500) {
      const rows: Row[] = []
      for (const record of records.slice(from, from + 500)) rows.push(await rowOf(trx, record))
      await trx.insertInto('audit_records').values(rows).execute()
    }
  }

  return {
    audit,
    insert,
    seed: (records: readonly SeededRecord[]) =>
      transact(deps.db, [], (trx) => insert(trx, records)),
  }
}
