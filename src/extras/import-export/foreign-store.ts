import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Username } from '../../core/lib/username.ts'

/** An account that has an id or an address of a line, staged or visible. */
export interface ForeignHolder {
  readonly key: string
  readonly userId: number
  readonly username: Username
  /** Null if visible. */
  readonly staged: {
    readonly importId: number
    readonly line: number | null
    readonly isOpen: boolean
  } | null
}

export function foreignStore(db: DatabaseOrTransaction) {
  const accounts = () =>
    db.selectFrom('accounts').leftJoin('imports', 'imports.id', 'accounts.import_id')
  const columns = [
    ...(['accounts.user_id', 'accounts.username', 'accounts.import_id'] as const),
    ...(['accounts.import_line', 'imports.state'] as const),
  ] as const

  return {
    /** Accounts with these ids of a product. */
    async byId(source: string, ids: readonly string[]): Promise<ForeignHolder[]> {
      if (ids.length === 0) return []
      const rows = await accounts()
        .innerJoin('imported_ids', 'imported_ids.user_id', 'accounts.user_id')
        .select(columns)
        .select('external_id as key')
        .where('source', '=', source)
        .where('external_id', 'in', ids)
        .execute()
      return rows.map(toHolder)
    },

    /** Accounts with these canonical verified addresses. */
    async byEmail(keys: readonly string[]): Promise<ForeignHolder[]> {
      if (keys.length === 0) return []
      const rows = await accounts()
        .select(columns)
        .select('verified_email_key as key')
        .where('verified_email_key', 'in', keys)
        .execute()
      return rows.map((row) => toHolder({ ...row, key: row.key ?? '' }))
    },

    /** A failed import may have left the id. */
    async insert(
      source: string,
      ids: readonly { readonly id: string; readonly userId: number }[],
    ): Promise<void> {
      if (ids.length === 0) return
      await db
        .insertInto('imported_ids')
        .values(ids.map(({ id, userId }) => ({ source, external_id: id, user_id: userId })))
        .onConflict((conflict) =>
          conflict
            .columns(['source', 'external_id'])
            .doUpdateSet((eb) => ({ user_id: eb.ref('excluded.user_id') })),
        )
        .execute()
    },
  }
}

interface HolderRow {
  readonly key: string
  readonly user_id: number
  readonly username: string
  readonly import_id: number | null
  readonly import_line: number | null
  readonly state: string | null
}

function toHolder({ key, user_id, username, import_id, import_line, state }: HolderRow) {
  const isVisible = import_id === null || state === null || state === 'done'
  return {
    ...{ key, userId: user_id, username: username as Username },
    staged: isVisible ? null : { importId: import_id, line: import_line, isOpen: state === 'open' },
  }
}
