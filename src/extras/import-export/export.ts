import { setImmediate } from 'node:timers/promises'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isPresentAccount } from '../../core/database/pending-import.ts'
import { roleNamesOfAccount } from '../../core/database/role-names.ts'
import type { MakeBatch } from '../../core/http/lists/bulk-answers.ts'
import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import { rolesAmong } from '../../core/policy/principal.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import type { AccountField } from '../../modules/accounts/account-field.ts'
import { sensitiveRead } from '../../modules/audit/events.ts'
import { splitRoles } from '../../modules/authentication/account.ts'

export interface ExportOptions {
  /** Includes the hashes that an import requires; never over HTTP. */
  readonly withHashes: boolean
  /** The hash for accounts without a password, since an import requires a hash. */
  readonly unknownHash?: string
  /** Of other modules. */
  readonly fields?: readonly AccountField[]
  /** Called before each batch; throws to end the export. */
  readonly authorize?: () => Promise<void>
  /** Default: reads at once, without a queue. */
  readonly makeBatch?: MakeBatch
}

const batchSize = 500

/**
 * Yields all accounts as JSON Lines by user id, without secrets of second factors. Reads batches on
 * demand; records its event after the first batch.
 */
export async function* exportAccounts(
  { config, db, events }: Pick<Deps, 'config' | 'db' | 'events'>,
  { withHashes, unknownHash, fields = [], authorize, makeBatch = (work) => work() }: ExportOptions,
): AsyncGenerator<string> {
  let after = 0
  for (;;) {
    const isFirst = after === 0
    const text = await makeBatch(nextLines)
    if (isFirst) events.emit(sensitiveRead, { what: 'account_export', hashes: withHashes })
    if (text === '') return
    yield text
    await setImmediate()
  }

  async function nextLines(): Promise<string> {
    const rows = await exportedAfter(db, after, batchSize)
    after = rows.at(-1)?.user_id ?? after
    if (rows.length > 0) await authorize?.()
    const userIds = rows.map(({ user_id }) => user_id)
    const values: (readonly [string, ReadonlyMap<number, unknown>])[] = []
    for (const field of fields) values.push([field.name, await field.export(db, userIds)])
    const more = (row: ExportedRow) =>
      values.flatMap(([name, byUser]) => {
        const value = byUser.get(row.user_id)
        return value === undefined ? [] : [[name, value] as const]
      })
    return rows
      .map((row) => `${JSON.stringify({ ...lineOf(row), ...Object.fromEntries(more(row)) })}\n`)
      .join('')
  }

  function lineOf(row: ExportedRow) {
    const hash = withHashes ? (row.hash ?? unknownHash) : undefined
    return {
      username: row.username,
      ...(hash !== undefined && { password_hash: hash }),
      user_id: row.user_id,
      name: row.name,
      email: row.email,
      roles: rolesAmong(splitRoles(row.roles), config.roles),
      locked: row.locked === 1,
      // False during a pending deletion: an import must not enable the account.
      active: row.active === 1,
      second_factor: row.second_factor === 1,
      deletion_at: isoTimeOrNull(row.deletion_at),
      must_change: row.must_change === 1,
      created_at: isoTime(row.created_at),
    }
  }
}

type ExportedRow = Awaited<ReturnType<typeof exportedAfter>>[number]

function exportedAfter(db: DatabaseOrTransaction, userId: number, limit: number) {
  return db
    .selectFrom('accounts')
    .innerJoin('users', 'users.id', 'accounts.user_id')
    .leftJoin('passwords', 'passwords.account', 'accounts.user_id')
    .select(roleNamesOfAccount.as('roles'))
    .select([
      'accounts.user_id',
      'username',
      'hash',
      'name',
      'email',
      'locked',
      'active',
      'second_factor',
      'deletion_at',
      'must_change',
      'created_at',
    ])
    .where('accounts.user_id', '>', userId)
    .where('accounts.service', '=', 0) // an import would make a person of the program
    .where(isPresentAccount)
    .orderBy('accounts.user_id')
    .limit(limit)
    .execute()
}
