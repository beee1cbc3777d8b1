import type { Database } from '../database/database.ts'
import { canonicalUsername, type Username } from '../kernel/username.ts'
import type { AuditKeys } from '../keys/audit-keys.ts'
import type { Position } from './cursor.ts'
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
  newestQuery,
  type ReadRecord,
  type RecordPlace,
  recordsAt,
  type Selection,
  subjectRow,
} from './read-store.ts'

/** Reads the audit log, and opens what it reads. */
export interface AuditLog {
  /** Reads the newest records that match the filters, and whether older ones follow. */
  page(filters: AuditFilters, part: AuditPart): Promise<FoundRecords>
  /** Reads the newest records in which a user acted, and no account whose username is that number. */
  actsOf(userId: number, part: AuditPart): Promise<FoundRecords>
  /** Reads the records at some places, in no order; those that are gone are left out. */
  at(places: readonly RecordPlace[]): Promise<OpenedRecord[]>
}

export interface AuditPart {
  readonly limit: number
  /** Only records before this position in the list; costs the same at any depth. */
  readonly before?: Position | undefined
}

export interface FoundRecords {
  readonly records: OpenedRecord[]
  /** The position of the last record; null if none follows. */
  readonly next: Position | null
}

export interface AuditLogDeps {
  readonly db: Database
  readonly keys: { readonly audit: AuditKeys }
  /** Answers the id of the user whose account has a username; null if there is none. */
  readonly userIdOf: (username: Username) => Promise<number | null>
}

export function createAuditLog({ db, keys, userIdOf }: AuditLogDeps): AuditLog {
  return {
    at: async (places) => openRecords(db, keys.audit, await recordsAt(db, places)),
    page: async (filters, part) => pageOf(await selectionsOf(filters), part),

    async actsOf(userId, part) {
      const actor_index = await indexOfPerson('actor', String(userId))
      return pageOf(actor_index === undefined ? [] : [{ actor_index }], part)
    },
  }

  async function pageOf(
    selections: readonly Selection[],
    { limit, before }: AuditPart,
  ): Promise<FoundRecords> {
    const found: ReadRecord[] = []
    const part = { limit: limit + 1, before } // one more shows whether another page follows
    for (const selection of selections) {
      found.push(...(await newestQuery(db, selection, part).execute()))
    }
    found.sort((one, other) => other.at - one.at || other.number - one.number)
    const shown = found.slice(0, limit)
    const last = shown.at(-1)
    const hasMore = last !== undefined && found.length > limit
    return {
      records: await openRecords(db, keys.audit, shown),
      next: hasMore ? { at: last.at, number: last.number } : null,
    }
  }

  /**
   * Divides filters of several values into selections of one value each, which are disjoint: an index
   * answers each of them in the order of the list, but not their union.
   */
  async function selectionsOf(filters: AuditFilters): Promise<Selection[]> {
    const { address, requestId, since, until } = filters
    const types = filters.types ?? [undefined]
    const actors = await indexesOf('actor', filters.actor)
    const targets = await indexesOf('target', filters.target)
    const common = {
      address_index: address === undefined ? undefined : addressIndex(keys.audit.index, address),
      request_id: requestId,
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
   * The indexes of the records that a text may mean: it is a subject, such as `7` or `cli`, and may be
   * the username of another one. A name that was typed at a login and that no account has is found as
   * a target. There is no index of a person who is unknown or erased.
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
