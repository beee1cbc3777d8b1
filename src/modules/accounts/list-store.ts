import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../core/database/database.ts'
import { inOrder, isBeyond } from '../../core/database/list-query.ts'
import { isPresentAccount, isPresentUser } from '../../core/database/pending-import.ts'
import { roleNamesOfAccount } from '../../core/database/role-names.ts'
import type { Place } from '../../core/http/lists/cursor.ts'
import type { AccountOrder, AccountSortKey } from './list-query.ts'
import { activeFlag } from './store.ts'

/** As stored; lockouts that have ended and logins that never were are null. */
export type ListedAccount = Awaited<ReturnType<ReturnType<typeof accountListStore>['read']>>[number]

export interface Step {
  readonly found: readonly Place[]
  /** Null at the end of the order. */
  readonly last: (Place & { readonly isStaged: boolean }) | null
  readonly rows: number
}

export interface Query {
  readonly order: AccountOrder
  readonly holds: RawBuilder<boolean>
  /** Reading a user costs one more database page per row. */
  readonly readsUsers: boolean
  /** Null if unknown. */
  readonly range: RawBuilder<boolean> | null
}

const keys = {
  username: { of: 'accounts', id: 'user_id', column: 'username' },
  name: { of: 'users', id: 'id', column: 'name_key' },
  created_at: { of: 'accounts', id: 'user_id', column: 'created_at' },
  last_login_at: { of: 'accounts', id: 'user_id', column: 'last_login_at' },
} as const satisfies Record<AccountSortKey, object>

export function accountListStore(db: Database) {
  return {
    async count(candidates: RawBuilder<unknown>, limit: number): Promise<number> {
      const { rows } = await sql<{ total: number }>`
        select count(*) as total from (${candidates} limit ${limit}) as counted`.execute(db)
      return Number(rows[0]?.total)
    },

    /** Returns up to `limit` accounts and counts all matches. */
    async among(
      candidates: RawBuilder<unknown>,
      { order, holds, readsUsers }: Query,
      { after, limit }: { readonly after: Place | null; readonly limit: number },
    ): Promise<{ readonly found: Place[]; readonly total: number }> {
      const { of: table, column } = keys[order.key]
      const key = sql.ref(`${table}.${column}`)
      // `cross join`: SQLite keeps the order and starts with the candidates.
      const users =
        readsUsers || table === 'users'
          ? sql`cross join users where users.id = candidates.id and`
          : sql`where`
      const { rows } = await sql<{ id: number | null; value: string | number; total: number }>`
        with candidates as materialized (${candidates}),
        matching as materialized (
          select accounts.user_id as id, ${key} as value from candidates
          cross join accounts ${users} accounts.user_id = candidates.id
            and ${isPresentAccount} and ${holds}
        ),
        page as (
          select id, value from matching where ${isBehind(order, after, 'value', 'id')}
          order by ${inOrder(['value', 'id'], order.descending)} limit ${limit}
        )
        select page.id, page.value, counted.total
        from (select count(*) as total from matching) as counted left join page on true
        order by ${inOrder(['page.value', 'page.id'], order.descending)}`.execute(db)
      const found = rows.flatMap(({ id, value }) => (id === null ? [] : [{ id, value }]))
      return { found, total: Number(rows[0]?.total) }
    },

    async step(
      { order, holds, readsUsers, range }: Query,
      after: Place | null,
      width: number,
    ): Promise<Step> {
      const { of: table, id, column } = keys[order.key]
      const users = readsUsers ? sql`left join users on users.id = walked.id` : sql``
      const { rows } = await sql<StepRow>`
        with walked as materialized (
          select ${sql.ref(id)} as id, ${sql.ref(column)} as value from ${sql.table(table)}
          where ${isBehind(order, after, column, id)} and ${range ?? sql`true`}
          order by ${inOrder([column, id], order.descending)} limit ${width}
        ),
        ends as materialized (
          select (select count(*) from walked) as walked,
            (select id from walked order by ${inOrder(['value', 'id'], !order.descending)} limit 1) as last
        ),
        judged as (
          select walked.id, walked.value, case
            when accounts.user_id is null then ${verdictOfUser}
            when not ${isPresentAccount} then 'staged'
            when ${holds} then 'found' else 'other' end as verdict
          from walked left join accounts on accounts.user_id = walked.id ${users}
        )
        select judged.*, ends.walked, ends.last from ends cross join judged
        where verdict = 'found' or judged.id = ends.last
        order by ${inOrder(['value', 'judged.id'], order.descending)}`.execute(db)
      const last = rows.at(-1)
      return {
        found: rows.flatMap(({ id, value, verdict }) =>
          verdict === 'found' ? [{ id, value }] : [],
        ),
        last: last ? { id: last.id, value: last.value, isStaged: last.verdict === 'staged' } : null,
        rows: Number(last?.walked ?? 0),
      }
    },

    /** Skips accounts deleted in the meantime. */
    async read(ids: readonly number[], now: number) {
      if (ids.length === 0) return []
      const rows = await db
        .selectFrom('accounts')
        .innerJoin('users', 'users.id', 'accounts.user_id')
        .leftJoin('passwords', 'passwords.account', 'accounts.user_id')
        .select([
          'accounts.user_id',
          'username',
          'users.name',
          'users.email',
          'locked',
          'deletion_at',
        ])
        .select(activeFlag.as('active'))
        .select(['locked_until', 'must_change', 'second_factor', 'verified_email'])
        .select(['accounts.import_id', 'last_login_at', 'created_at'])
        .select(roleNamesOfAccount.as('roles'))
        .select((eb) =>
          eb
            .selectFrom('identities')
            .whereRef('identities.user_id', '=', 'accounts.user_id')
            .select(({ fn }) => fn.countAll<number>().as('total'))
            .as('identities'),
        )
        .where('accounts.user_id', 'in', ids)
        .where(isPresentAccount)
        .execute()
      const byId = new Map(rows.map((row) => [row.user_id, row]))
      return ids.flatMap((id) => {
        const row = byId.get(id)
        if (!row) return []
        const { locked_until: until, last_login_at: login } = row
        const locked_until = until !== null && until > now ? until : null
        return [{ ...row, locked_until, last_login_at: login === 0 ? null : login }]
      })
    },
  }
}

interface StepRow extends Place {
  readonly verdict: 'staged' | 'found' | 'other'
  readonly walked: number
}

/** For a user without an account. */
const verdictOfUser = sql`case when exists (
  select 1 from users where users.id = walked.id and ${isPresentUser}) then 'other' else 'staged' end`

function isBehind(order: AccountOrder, after: Place | null, column: string, id: string) {
  if (!after) return sql<boolean>`true`
  return isBeyond([column, id], [after.value, after.id], order.descending)
}
