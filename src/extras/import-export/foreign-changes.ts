import type { EmailAddress } from '../../core/addresses/email.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { UniqueViolation } from '../../core/database/errors.ts'
import { transact } from '../../core/database/transactions.ts'
import { ApiError, type Detail } from '../../core/errors.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Role } from '../../core/policy/principal.ts'
import { verifyEmailOf } from '../../modules/accounts/accounts.ts'
import { splitRoles } from '../../modules/authentication/account.ts'
import type { AccountLine, Mistake } from './line.ts'
import { type KnownLine, knownLines } from './stage.ts'
import { importStore } from './store.ts'

type ChangeNeeds = Pick<Needs, 'accounts' | 'clock' | 'db' | 'users'>

/** Absent: as it is. */
export interface Wanted {
  readonly name?: string
  readonly email?: string
  readonly roles?: readonly Role[]
  readonly active?: false
  readonly locked?: true
  readonly verified?: EmailAddress
}

/** What a further import of an account changes. */
export interface Difference {
  readonly line: number
  readonly userId: number
  readonly username: string
  readonly wanted: Wanted
  /** What the changed fields are now. */
  readonly present: Readonly<Record<string, unknown>>
}

/**
 * The password, the second factor and a verified address stay: their owner may have changed them
 * here. A disabled account is not enabled again, for an administrator may have disabled it here.
 */
export async function differencesOf(
  db: DatabaseOrTransaction,
  known: readonly KnownLine[],
  { changesRoles }: { readonly changesRoles: boolean },
): Promise<Difference[]> {
  if (known.length === 0) return []
  const rows = await importStore(db).present(
    [],
    known.map(({ userId }) => userId),
  )
  const present = new Map(rows.map((row) => [row.user_id, row]))
  return known.flatMap(({ line, userId }) => {
    const row = present.get(userId)
    if (!row) return []
    const now = {
      ...{ name: row.name, email: row.email, roles: splitRoles(row.roles) },
      ...{ active: row.active === 1, locked: row.locked === 1, verified: row.verified_email },
    }
    const wanted = wantedOf(line, now, changesRoles)
    const changed = Object.entries(now).filter(([field]) => Object.hasOwn(wanted, field))
    if (changed.length === 0) return []
    const { username } = row
    return [{ line: line.line, userId, username, wanted, present: Object.fromEntries(changed) }]
  })
}

interface Now {
  readonly name: string
  readonly email: string
  readonly roles: readonly string[]
  readonly active: boolean
  readonly locked: boolean
  readonly verified: string | null
}

function wantedOf(line: AccountLine, now: Now, changesRoles: boolean): Wanted {
  const { user, verifiedEmail: verified } = line
  const isOther = changesRoles && !sameNames(line.roles, now.roles)
  return {
    ...('name' in user && user.name !== now.name && { name: user.name }),
    ...('email' in user && user.email !== now.email && { email: user.email }),
    ...(isOther && { roles: line.roles }),
    ...(!line.active && now.active && { active: false }),
    ...(line.locked && !now.locked && { locked: true }),
    ...(verified && now.verified === null && { verified }),
  }
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name))
}

/** Each account in transactions of its own: an import that is repeated goes on. */
export async function applyDifference(
  { accounts, clock, db, users }: ChangeNeeds,
  { line, userId, wanted }: Difference,
): Promise<Mistake | undefined> {
  const { name, email, roles, active, locked, verified } = wanted
  try {
    if (name !== undefined || email !== undefined) await users.merge(userId, { name, email })
    if (roles || active !== undefined || locked !== undefined) {
      await accounts.change(userId, { roles, active, locked })
    }
    if (verified) await transact(db, [], (trx) => verifyEmailOf(trx, userId, verified, clock.now()))
    return undefined
  } catch (error) {
    const detail = detailOf(error)
    if (!detail) throw error
    return { line, ...detail }
  }
}

function detailOf(error: unknown): Detail | undefined {
  if (error instanceof UniqueViolation) {
    return { path: ['email'], message: 'is the verified address of another account' }
  }
  if (error instanceof ApiError && error.row === 'lastAdministrator') {
    return { path: ['roles'], message: 'would leave no administrator' }
  }
  return undefined
}

/** Reads the export once more, and changes the accounts of earlier imports. */
export async function changeKnown(
  needs: ChangeNeeds,
  batches: AsyncIterable<readonly AccountLine[]>,
  options: { readonly source: string; readonly changesRoles: boolean },
): Promise<{ readonly changed: number; readonly mistakes: Mistake[] }> {
  const mistakes: Mistake[] = []
  let changed = 0
  for await (const lines of batches) {
    const known = await knownLines(needs.db, options.source, lines)
    for (const difference of await differencesOf(needs.db, known, options)) {
      const mistake = await applyDifference(needs, difference)
      if (mistake) mistakes.push(mistake)
      else changed += 1
    }
  }
  return { changed, mistakes }
}
