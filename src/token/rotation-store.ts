import type { DatabaseOrTransaction } from '../database/connect.ts'

/** That a refresh token was used, and which one was given for it. Times in seconds. */
export interface RefreshUse {
  readonly rid: string
  readonly family: string
  readonly successor: string
  /** `iat` and `exp` of the successor: with them the very same token can be signed again. */
  readonly issuedAt: number
  readonly expiresAt: number
  /** Epoch milliseconds. */
  readonly usedAt: number
}

export function rotationStore(db: DatabaseOrTransaction) {
  const uses = () => db.selectFrom('refresh_uses').selectAll()
  return {
    async use(rid: string): Promise<RefreshUse | null> {
      const row = await uses().where('rid', '=', rid).executeTakeFirst()
      return row ? toUse(row) : null
    },

    /** The line of a token: that of its use, or of the use it was given for, or a new one. */
    async familyOf(rid: string): Promise<string> {
      const row = await db
        .selectFrom('refresh_uses')
        .select('family')
        .where((eb) => eb.or([eb('rid', '=', rid), eb('successor', '=', rid)]))
        .executeTakeFirst()
      return row?.family ?? rid
    },

    async insert(use: RefreshUse): Promise<void> {
      await db
        .insertInto('refresh_uses')
        .values({
          rid: use.rid,
          family: use.family,
          successor: use.successor,
          issued_at: use.issuedAt,
          successor_expires_at: use.expiresAt,
          used_at: use.usedAt,
        })
        .execute()
    },

    async isEnded(family: string): Promise<boolean> {
      const row = await db
        .selectFrom('refresh_families_ended')
        .select('family')
        .where('family', '=', family)
        .executeTakeFirst()
      return row !== undefined
    },

    async end(family: string, expiresAt: number): Promise<void> {
      await db
        .insertInto('refresh_families_ended')
        .values({ family, expires_at: expiresAt })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    /**
     * Removes up to `most` rows of each table that no living token needs; `now` in seconds. Answers
     * how many of the fuller one.
     */
    async reap(now: number, most: number): Promise<number> {
      const uses = await db
        .deleteFrom('refresh_uses')
        .where('rid', 'in', (eb) =>
          eb
            .selectFrom('refresh_uses')
            .select('rid')
            .where('successor_expires_at', '<=', now)
            .limit(most),
        )
        .executeTakeFirstOrThrow()
      const families = await db
        .deleteFrom('refresh_families_ended')
        .where('family', 'in', (eb) =>
          eb
            .selectFrom('refresh_families_ended')
            .select('family')
            .where('expires_at', '<=', now)
            .limit(most),
        )
        .executeTakeFirstOrThrow()
      return Math.max(Number(uses.numDeletedRows), Number(families.numDeletedRows))
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
