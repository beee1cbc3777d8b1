import type { Database } from '../../core/database/database.ts'
import { cut } from '../../core/http/lists/cursor.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { canonicalUsername, type Username } from '../../core/lib/username.ts'
import type { AuditKeys } from '../keys/audit-keys.ts'
import { maxMissing, type Position, type TailPosition } from './cursor.ts'
import type { AuditFilters } from './filters.ts'
import { type OpenedRecord, openedOrNull, openRecords } from './opened-record.ts'
import {
  addressIndex,
  isPerson,
  openSubjectKey,
  personIndex,
  type Side,
  serviceIndex,
  typedName,
} from './persons.ts'
import {
  comparedRecords,
  isSelected,
  lastNumbers,
  pageQuery,
  type RecordPlace,
  recordsAt,
  type Selection,
  subjectRow,
  waitingQuery,
} from './read-store.ts'
import { maxLookedThrough, missingAmong, seenThrough } from './tail.ts'

export interface AuditLog {
  page(filters: AuditFilters, part: AuditPart): Promise<FoundRecords>
  /** `newer` also finds records that commit later. */
  end(): Promise<TailPosition>
  /** Newest first. A call scans a bounded number of records, oldest first. */
  newer(filters: AuditFilters, part: TailPart): Promise<NewerRecords>
  /** The number is never read as a username. */
  actsOf(userId: number, part: AuditPart): Promise<FoundRecords>
  /** In any order; omits deleted records. */
  at(places: readonly RecordPlace[]): Promise<OpenedRecord[]>
}

export interface AuditPart {
  readonly limit: number
  readonly before?: Position | undefined
  /** Default: `newest`. */
  readonly order?: 'newest' | 'oldest'
}

export interface TailPart {
  readonly limit: number
  readonly after: TailPosition
}

export interface NewerRecords {
  readonly records: OpenedRecord[]
  readonly end: TailPosition
  readonly hasMore: boolean
}

export interface FoundRecords {
  readonly records: OpenedRecord[]
  readonly next: Position | null
}

export interface AuditLogDeps {
  readonly db: Database
  readonly clock: Clock
  readonly keys: { readonly audit: AuditKeys }
  readonly userIdOf: (username: Username) => Promise<number | null>
}

// With more types, records are compared one by one.
const maxQueriesOfTypes = 20

export function createAuditLog({ clock, db, keys, userIdOf }: AuditLogDeps): AuditLog {
  return {
    at: async (places) => openRecords(db, keys.audit, await recordsAt(db, places)),
    page: async (filters, part) => pageOf(await selectionsOf(filters), part),

    async end() {
      const numbers = await lastNumbers(db, maxMissing)
      const [number = 0] = numbers
      const lowest = numbers.at(-1) ?? number
      return { number, missing: missingAmong(numbers, { from: lowest, to: number }, clock.now()) }
    },

    async newer(filters, { limit, after }) {
      const selections = await selectionsOf(filters)
      const others = after.missing.map(({ number }) => number)
      const read = await comparedRecords(db, {
        ...{ after: after.number, others, limit: maxLookedThrough },
      })
      const found = read.filter((record) => selections.some((one) => isSelected(one, record)))
      const shown = found.slice(0, limit)
      const last = shown.at(-1)
      const isCut = shown.length < found.length
      const looked = isCut && last ? read.slice(0, read.indexOf(last) + 1) : read
      return {
        records: (await openRecords(db, keys.audit, shown)).toReversed(),
        end: seenThrough(after, looked, clock.now()),
        hasMore: isCut || read.length >= maxLookedThrough,
      }
    },

    async actsOf(userId, part) {
      const actor_index = await indexOfPerson('actor', String(userId))
      return pageOf(actor_index === undefined ? [] : [{ actor_index }], part)
    },
  }

  async function pageOf(
    selections: readonly Selection[],
    { limit, before, order = 'newest' }: AuditPart,
  ): Promise<FoundRecords> {
    const part = { limit: limit + 1, behind: before, order }
    const read = (await waitingQuery(db, selections, part)?.execute()) ?? []
    for (const selection of selections) {
      read.push(...(await pageQuery(db, selection, part).execute()))
    }
    // A batch may have indexed a record between the reads.
    const found = [...new Map(read.map((record) => [record.number, record])).values()]
    found.sort((one, other) => other.at - one.at || other.number - one.number)
    if (order === 'oldest') found.reverse()
    const { shown, last } = cut(found, limit)
    return {
      records: await openRecords(db, keys.audit, shown),
      next: last && { at: last.at, number: last.number },
    }
  }

  /**
   * Disjoint selections of one value each: an index returns each selection in order, but not their
   * union.
   */
  async function selectionsOf(filters: AuditFilters): Promise<Selection[]> {
    const { address, requestId, since, until } = filters
    const isIndexed = [filters.actor, filters.target, address, requestId].some(Boolean)
    const isTogether = isIndexed && (filters.types?.length ?? 0) > maxQueriesOfTypes
    const types = isTogether ? [undefined] : (filters.types ?? [undefined])
    const actors = await indexesOf('actor', filters.actor)
    const targets = await indexesOf('target', filters.target)
    const common = {
      address_index: address === undefined ? undefined : addressIndex(keys.audit.index, address),
      request_id: requestId,
      types: isTogether ? filters.types : undefined,
      since,
      until,
    }
    return types.flatMap((type) =>
      actors.flatMap((actor_index) =>
        targets.map((target_index) => ({ ...common, type, actor_index, target_index })),
      ),
    )
  }

  /**
   * A text may be a subject such as `7` or `cli`, or a username. A typed name without an account is
   * found as a target. Unknown or erased persons have no index.
   */
  async function indexesOf(
    side: Side,
    text: string | undefined,
  ): Promise<readonly (string | undefined)[]> {
    if (text === undefined) return [undefined]
    const { index } = keys.audit
    const username = canonicalUsername(text)
    const userId = username && (await userIdOf(username))
    const subjects = new Set([text, ...(userId === null ? [] : [String(userId)])])
    const indexes = await Promise.all(
      [...subjects].map((subject) =>
        isPerson(subject) ? indexOfPerson(side, subject) : serviceIndex(index, subject, side),
      ),
    )
    const typed = username !== null && side === 'target' ? [typedName(index, username)] : []
    return [...indexes, ...typed].filter((found) => found !== undefined)
  }

  async function indexOfPerson(side: Side, subject: string): Promise<string | undefined> {
    const row = await subjectRow(db, subject)
    if (!row) return undefined
    const key = openedOrNull(() => openSubjectKey(keys.audit.data, subject, row.sealed))
    return key === null ? undefined : personIndex(key, side)
  }
}
