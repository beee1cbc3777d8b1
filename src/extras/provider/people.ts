import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'

/** An account that an application has access to. */
export interface PersonOfClient {
  readonly userId: number
  readonly username: string
  readonly scopes: readonly string[]
  /** Epoch milliseconds; null: without a consent. */
  readonly givenAt: number | null
}

/** Who has given an application access: by a consent, or by a grant that needs none. */
export function peopleOf(db: DatabaseOrTransaction, client: string, now: number) {
  const consents = db.selectFrom('provider_consents').select('user_id').where('client', '=', client)
  const grants = db
    .selectFrom('provider_artifacts')
    .select(sql<number>`user_id`.as('user_id'))
    .where('client', '=', client)
    .where('kind', '=', sql.lit('Grant')) // as the index has it
    .where('user_id', 'is not', null)
    .where('expires_at', '>', now)
  const people = consents.union(grants).as('people')
  return {
    async count(): Promise<number> {
      const { count } = await db
        .selectFrom(people)
        .select((eb) => eb.fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    /** By the id of the account. */
    async page(offset: number, limit: number): Promise<PersonOfClient[]> {
      const rows = await db
        .selectFrom(people)
        .innerJoin('accounts', 'accounts.user_id', 'people.user_id')
        .leftJoin('provider_consents', (join) =>
          join
            .onRef('provider_consents.user_id', '=', 'people.user_id')
            .on('provider_consents.client', '=', client),
        )
        .select(['people.user_id', 'username', 'scopes', 'given_at'])
        .orderBy('people.user_id')
        .limit(limit)
        .offset(offset)
        .execute()
      return rows.map((row) => ({
        userId: row.user_id,
        username: row.username,
        scopes: row.scopes?.split(' ').filter(Boolean) ?? [],
        givenAt: row.given_at,
      }))
    },
  }
}
