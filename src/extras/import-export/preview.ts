import type { Detail } from '../../core/errors.ts'
import type { Static } from '../../core/http/schemas.ts'
import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import { splitRoles } from '../../modules/authentication/account.ts'
import type { AccountLine } from './line.ts'
import type { ImportBody } from './schemas.ts'
import type { importStore } from './store.ts'

type LinePreview = NonNullable<Static<typeof ImportBody>['preview']>[number]
type PreviewedAccount = NonNullable<LinePreview['present']>

interface Kept {
  readonly line: number
  readonly wanted: AccountLine | null
  readonly errors: readonly Detail[]
}

/** A 64 KiB line can have ten thousand errors; `errorsTotal` counts all. */
const maxErrorsOfLine = 20

/** Keeps the first lines of each outcome, so that late errors are shown too. */
export function gatherPreview(max: number) {
  const admitted: Kept[] = []
  const refused: Kept[] = []
  return {
    admit(wanted: AccountLine): void {
      if (admitted.length < max) admitted.push({ line: wanted.line, wanted, errors: [] })
    },
    refuse(line: number, wanted: AccountLine | null, errors: readonly Detail[]): void {
      if (refused.length >= max) return
      refused.push({ line, wanted, errors: errors.slice(0, maxErrorsOfLine) })
    },
    /** In order, with current accounts. */
    async lines(store: ReturnType<typeof importStore>): Promise<LinePreview[]> {
      const kept = [...admitted, ...refused].sort((one, other) => one.line - other.line)
      const wanted = kept.flatMap((one) => one.wanted ?? [])
      const userIds = wanted.flatMap(({ user }) => ('id' in user ? [user.id] : []))
      const names = refused.flatMap((one) => one.wanted?.username ?? [])
      const rows = names.length === 0 ? [] : await store.present(names, userIds)
      const present = rows.map(accountOf)
      const users = new Map((await store.users(userIds)).map((user) => [user.id, user]))
      return kept.map(({ line, wanted, errors }) => ({
        line,
        outcome: errors.length === 0 ? 'import' : 'refuse',
        account: wanted && { ...wantedAccount(wanted, users), ...secretOf(wanted) },
        present: errors.length === 0 ? null : holderOf(wanted, present),
        errors: errors.map(({ path, message }) => ({ path: [...path], message })),
      }))
    },
  }
}

type Store = ReturnType<typeof importStore>
type PresentRow = Awaited<ReturnType<Store['present']>>[number]
type UserRow = Awaited<ReturnType<Store['users']>>[number]

function accountOf(row: PresentRow): PreviewedAccount {
  return {
    username: row.username,
    roles: [...splitRoles(row.roles)],
    locked: row.locked === 1,
    active: row.active === 1,
    must_change: row.must_change === 1,
    created_at: isoTime(row.created_at),
    user_id: row.user_id,
    name: row.name,
    email: row.email,
  }
}

function secretOf({ secret }: AccountLine) {
  const given = secret === 'none' ? {} : secret
  return { password_hash: 'hash' in given, password: 'password' in given }
}

function wantedAccount(
  { username, roles, locked, active, mustChange, createdAt, user }: AccountLine,
  users: ReadonlyMap<number, UserRow>,
): PreviewedAccount {
  const owner = 'id' in user ? users.get(user.id) : user
  return {
    ...{ username, roles: [...roles], locked, active },
    must_change: mustChange,
    created_at: isoTimeOrNull(createdAt ?? null),
    user_id: 'id' in user ? user.id : null,
    ...{ name: owner?.name ?? null, email: owner?.email ?? null },
  }
}

/** The existing account by name, else by user. */
function holderOf(
  wanted: AccountLine | null,
  present: readonly PreviewedAccount[],
): PreviewedAccount | null {
  if (!wanted) return null
  const { user, username } = wanted
  const ofName = present.find((account) => account.username === username)
  const ofUser = 'id' in user ? present.find(({ user_id }) => user_id === user.id) : undefined
  return ofName ?? ofUser ?? null
}
