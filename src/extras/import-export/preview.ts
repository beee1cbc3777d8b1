import type { Detail } from '../../core/errors.ts'
import type { RoleName } from '../../core/policy/principal.ts'
import { splitRoles } from '../../modules/authentication/account.ts'
import type { AccountLine } from './line.ts'
import type { importStore } from './store.ts'

export interface PreviewedAccount {
  readonly username: string
  readonly roles: readonly RoleName[]
  readonly locked: boolean
  readonly active: boolean
  readonly mustChange: boolean
  /** Epoch milliseconds; null: time of the import. */
  readonly createdAt: number | null
  /** Null if the line creates a user. */
  readonly userId: number | null
  /** Null for an unknown user. */
  readonly name: string | null
  readonly email: string | null
}

export interface LinePreview {
  /** From 1, with blank lines. */
  readonly line: number
  /** Null if unreadable. */
  readonly wanted: PreviewedAccount | null
  readonly secret: 'hash' | 'password' | 'none'
  readonly present: PreviewedAccount | null
  /** The first errors; empty if importable. */
  readonly errors: readonly Detail[]
}

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
      return kept.map((one) => ({
        line: one.line,
        wanted: one.wanted && wantedAccount(one.wanted, users),
        secret: secretOf(one.wanted),
        present: one.errors.length === 0 ? null : holderOf(one.wanted, present),
        errors: one.errors,
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
    roles: splitRoles(row.roles),
    locked: row.locked === 1,
    active: row.active === 1,
    mustChange: row.must_change === 1,
    createdAt: row.created_at,
    userId: row.user_id,
    name: row.name,
    email: row.email,
  }
}

function secretOf(wanted: AccountLine | null): LinePreview['secret'] {
  if (!wanted || wanted.secret === 'none') return 'none'
  return 'hash' in wanted.secret ? 'hash' : 'password'
}

function wantedAccount(
  { username, roles, locked, active, mustChange, createdAt, user }: AccountLine,
  users: ReadonlyMap<number, UserRow>,
): PreviewedAccount {
  const owner = 'id' in user ? users.get(user.id) : user
  return {
    ...{ username, roles, locked, active, mustChange, createdAt: createdAt ?? null },
    userId: 'id' in user ? user.id : null,
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
  const ofUser = 'id' in user ? present.find(({ userId }) => userId === user.id) : undefined
  return ofName ?? ofUser ?? null
}
