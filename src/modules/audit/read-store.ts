import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { inOrder, isBeyond } from '../../core/database/list-query.ts'
import type { Schema } from '../../core/database/schema.ts'
import type { Position } from './cursor.ts'
import { isIndexed, waiting, waits } from './indexes.ts'
import { serviceKeyName } from './persons.ts'
import type { AuditRecord } from './record-form.ts'

const shown = [
  'number',
  'chain',
  'place',
  'id',
  'at',
  'type',
  'level',
  'outcome',
  'reason',
  'request_id',
  'facts',
  'actor_key',
  'actor_sealed',
  'target_key',
  'target_sealed',
] as const

export type ReadRecord = Pick<AuditRecord, (typeof shown)[number]>

/** One value per filter, so that an index gives the order. */
export interface Selection {
  readonly type?: string | undefined
  /** Compared record by record. */
  readonly types?: readonly string[] | undefined
  readonly actor_index?: string | undefined
  readonly target_index?: string | undefined
  readonly address_index?: string | undefined
  readonly request_id?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
}

const equalities = [
  'type',
  'actor_index',
  'target_index',
  'address_index',
  'request_id',
] as const satisfies (keyof Selection)[]

export interface SelectedPart {
  readonly limit: number
  /** Exclusive start. */
  readonly behind?: Position | undefined
  readonly order: 'newest' | 'oldest'
}

/** Without the records of `waitingQuery`. */
export function pageQuery(db: DatabaseOrTransaction, selection: Selection, part: SelectedPart) {
  const query = inPart(db, [selection], part)
  return isSearched(selection) && waits(db) ? query.where(isIndexed) : query
}

/** Records that no search index has yet; null if there can be none. Read them before the others. */
export function waitingQuery(
  db: DatabaseOrTransaction,
  selections: readonly Selection[],
  part: SelectedPart,
) {
  const searched = selections.filter(isSearched)
  if (searched.length === 0 || !waits(db)) return null
  return inPart(db, searched, part).where('number', 'in', waiting(db))
}

function inPart(
  db: DatabaseOrTransaction,
  selections: readonly Selection[],
  { limit, behind, order }: SelectedPart,
) {
  return db
    .selectFrom('audit_records')
    .select(shown)
    .where((eb) => eb.or(selections.map((one) => eb.and(conditions(eb, one, { behind, order })))))
    .orderBy(inOrder(['at', 'number'], order === 'newest'))
    .limit(limit)
}

function isSearched(selection: Selection): boolean {
  return equalities.some((column) => selection[column] !== undefined)
}

function conditions(
  eb: ExpressionBuilder<Schema, 'audit_records'>,
  { since, until, types, ...wanted }: Selection,
  { behind, order }: Pick<SelectedPart, 'behind' | 'order'>,
): Expression<SqlBool>[] {
  const all: Expression<SqlBool>[] = []
  for (const column of equalities) {
    const value = wanted[column]
    if (value !== undefined) all.push(eb(column, '=', value))
  }
  if (since !== undefined) all.push(eb('at', '>=', since))
  if (until !== undefined) all.push(eb('at', '<', until))
  if (types !== undefined) all.push(eb('type', 'in', types))
  if (behind) all.push(isBeyond(['at', 'number'], [behind.at, behind.number], order === 'newest'))
  return all
}

/** Oldest first. */
export async function recordsAfter(
  db: DatabaseOrTransaction,
  number: number,
  limit: number,
): Promise<ReadRecord[]> {
  return db
    .selectFrom('audit_records')
    .select(shown)
    .where('number', '>', number)
    .orderBy('number')
    .limit(limit)
    .execute()
}

export type ComparedRecord = ReadRecord & Pick<AuditRecord, (typeof equalities)[number]>

/** Up to `limit` after a number, and others by number; oldest first. */
export async function comparedRecords(
  db: DatabaseOrTransaction,
  {
    after,
    others,
    limit,
  }: { readonly after: number; readonly others: readonly number[]; readonly limit: number },
): Promise<ComparedRecord[]> {
  const query = db
    .selectFrom('audit_records')
    .select(shown)
    .select(['actor_index', 'target_index', 'address_index'])
    .orderBy('number')
  const late = others.length === 0 ? [] : await query.where('number', 'in', others).execute()
  return [...late, ...(await query.where('number', '>', after).limit(limit).execute())]
}

/** Must agree with `pageQuery`. */
export function isSelected(
  { since, until, types, ...wanted }: Selection,
  record: ComparedRecord,
): boolean {
  return (
    equalities.every(
      (column) => wanted[column] === undefined || wanted[column] === record[column],
    ) &&
    (types === undefined || types.includes(record.type)) &&
    (since === undefined || record.at >= since) &&
    (until === undefined || record.at < until)
  )
}

/** Newest first. */
export async function lastNumbers(db: DatabaseOrTransaction, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('audit_records')
    .select('number')
    .orderBy('number', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ number }) => number)
}

/** Undefined if there is none. */
export async function firstNumberSince(
  db: DatabaseOrTransaction,
  since: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('audit_records')
    .select(sql<number | null>`min(number)`.as('number'))
    .where('at', '>=', since)
    .executeTakeFirst()
  return row?.number ?? undefined
}

export async function recordsOfChain(
  db: DatabaseOrTransaction,
  {
    chain,
    after,
    limit,
  }: { readonly chain: string; readonly after: number; readonly limit: number },
): Promise<ReadRecord[]> {
  return db
    .selectFrom('audit_records')
    .select(shown)
    .where('chain', '=', chain)
    .where('place', '>', after)
    .orderBy('place')
    .limit(limit)
    .execute()
}

export interface RecordPlace {
  readonly chain: string
  readonly place: number
}

export async function recordsAt(
  db: DatabaseOrTransaction,
  places: readonly RecordPlace[],
): Promise<ReadRecord[]> {
  if (places.length === 0) return []
  return db
    .selectFrom('audit_records')
    .select(shown)
    .where((eb) => eb.or(places.map(({ chain, place }) => eb.and({ chain, place }))))
    .execute()
}

/** Place of the last record; 0 for an empty chain. */
export interface Head {
  readonly chain: string
  readonly place: number
}

/** `closedSince` includes open chains. */
export type WhichChains = 'all' | 'open' | { readonly closedSince: number } | readonly string[]

export async function headsOf(db: DatabaseOrTransaction, which: WhichChains): Promise<Head[]> {
  const last = sql<number>`coalesce((
    select max(place) from audit_records where audit_records.chain = audit_chains.chain), 0)`
  const query = db.selectFrom('audit_chains').select('chain').select(last.as('place'))
  if (which === 'all') return query.execute()
  if (which === 'open') return query.where('closed_at', 'is', null).execute()
  if ('closedSince' in which) {
    return query
      .where((eb) => eb.or([eb('closed_at', 'is', null), eb('closed_at', '>=', which.closedSince)]))
      .execute()
  }
  return which.length === 0 ? [] : query.where('chain', 'in', which).execute()
}

export async function subjectsNamed(
  db: DatabaseOrTransaction,
  pseudonyms: readonly string[],
): Promise<{ subject: string; pseudonym: string; sealed: string }[]> {
  if (pseudonyms.length === 0) return []
  return db
    .selectFrom('audit_subjects')
    .select(['subject', 'pseudonym', 'sealed'])
    .where('pseudonym', 'in', pseudonyms)
    .execute()
}

/** Pseudonyms of missing keys in `from` (exclusive) to `to`. */
export async function closedAmong(
  db: DatabaseOrTransaction,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from (
      select actor_key as name from audit_records where number > ${from} and number <= ${to}
      union select target_key from audit_records where number > ${from} and number <= ${to}
    ) as names
    where name is not null and name <> ${serviceKeyName}
      and not exists (select 1 from audit_subjects where pseudonym = name)`.execute(db)
  return rows.map(({ name }) => name)
}

export async function subjectRow(
  db: DatabaseOrTransaction,
  subject: string,
): Promise<{ subject: string; sealed: string } | undefined> {
  return db
    .selectFrom('audit_subjects')
    .select(['subject', 'sealed'])
    .where('subject', '=', subject)
    .executeTakeFirst()
}
