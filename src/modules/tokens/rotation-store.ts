import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import type { RefreshClaims } from './claims.ts'
import { pairIdOf } from './pair.ts'

/** The use of a refresh token, and its successor. Times in seconds. */
export interface RefreshUse {
  readonly rid: string
  readonly family: string
  readonly successor: string
  /** With these claims the same successor can be signed again. */
  readonly issuedAt: number
  readonly expiresAt: number
  /** Epoch milliseconds. */
  readonly usedAt: number
}

export interface TokenFamily {
  readonly id: string
  readonly isEnded: boolean
}

const useOf = prepared((db, { rid }: Parameters<{ rid: string }>) =>
  db.selectFrom('refresh_uses').selectAll().where('rid', '=', rid),
)
/**
 * Finds the family by the token's own use, by the use that issued the token, or `first`; then
 * whether the family has ended.
 */
const familyOf = prepared((db, { rid, first }: Parameters<{ rid: string; first: string }>) => {
  const known = db
    .selectFrom('refresh_uses')
    .select('family')
    .where((eb) => eb.or([eb('rid', '=', rid), eb('successor', '=', rid)]))
    .limit(1)
  const found = db.selectNoFrom((eb) =>
    eb.fn.coalesce(known, sql<string>`cast(${first} as text)`).as('id'),
  )
  return db
    .selectFrom(found.as('family'))
    .leftJoin('refresh_families_ended', 'refresh_families_ended.family', 'family.id')
    .select(['family.id', 'refresh_families_ended.family as ended'])
})
const endedFamily = prepared((db, { family }: Parameters<{ family: string }>) =>
  db.selectFrom('refresh_families_ended').select('family').where('family', '=', family),
)
const inserted = prepared((db, use: Parameters<RefreshUse>) =>
  db.insertInto('refresh_uses').values({
    rid: use.rid,
    family: use.family,
    successor: use.successor,
    issued_at: use.issuedAt,
    successor_expires_at: use.expiresAt,
    used_at: use.usedAt,
  }),
)

export function rotationStore(db: DatabaseOrTransaction) {
  return {
    async use(rid: string): Promise<RefreshUse | null> {
      const row = await useOf.first(db, { rid })
      return row ? toUse(row) : null
    },

    /** The family of a token: the id of its pair. */
    async familyOf({ rid, exp }: Pick<RefreshClaims, 'rid' | 'exp'>): Promise<TokenFamily> {
      const { id, ended } = await familyOf.one(db, { rid, first: pairIdOf({ rid, exp }) })
      return { id, isEnded: ended !== null }
    },

    /** The latest expiry of the successors, in seconds; 0 without successors. */
    async lastExpiryOf(family: string): Promise<number> {
      const { last } = await db
        .selectFrom('refresh_uses')
        .select((eb) => eb.fn.max('successor_expires_at').as('last'))
        .where('family', '=', family)
        .executeTakeFirstOrThrow()
      return last ?? 0
    },

    async insert(use: RefreshUse): Promise<void> {
      await inserted.all(db, use)
    },

    async isEnded(family: string): Promise<boolean> {
      return (await endedFamily.first(db, { family })) !== undefined
    },

    async end(family: string, expiresAt: number): Promise<void> {
      await db
        .insertInto('refresh_families_ended')
        .values({ family, expires_at: expiresAt })
        .onConflict((conflict) =>
          conflict
            .column('family')
            .doUpdateSet({ expires_at: expiresAt })
            .where('refresh_families_ended.expires_at', '<', expiresAt),
        )
        .execute()
    },

    /**
     * Deletes up to `batchSize` expired rows of each table; `now` in seconds. Returns the larger
     * count.
     */
    async purge(now: number, batchSize: number): Promise<number> {
      const uses = { table: 'refresh_uses', key: 'rid', column: 'successor_expires_at' } as const
      const families = {
        table: 'refresh_families_ended',
        key: 'family',
        column: 'expires_at',
      } as const
      return Math.max(
        await deleteExpired(db, { ...uses, until: now }, batchSize),
        await deleteExpired(db, { ...families, until: now }, batchSize),
      )
    },
  }
}

function toUse(row: {
  rid: string
  family: string
  successor: string
  issued_at: number
  successor_expires_at: number
  used_at: number
}): RefreshUse {
  return {
    rid: row.rid,
    family: row.family,
    successor: row.successor,
    issuedAt: row.issued_at,
    expiresAt: row.successor_expires_at,
    usedAt: row.used_at,
  }
}
