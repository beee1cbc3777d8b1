import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Detail } from '../../core/errors.ts'
import type { AccountField } from '../../modules/accounts/account-field.ts'
import { accountsIn } from '../../modules/accounts/accounts.ts'
import type { TotpSealing } from '../../modules/totp/imported.ts'
import { insertStagedUsers } from '../../modules/users/users.ts'
import type { AccountLine, Mistake } from './line.ts'
import { beingImported, insertForeign, knownForeign, knownUsers } from './stage-foreign.ts'
import { type Holder, importStore, type ReadName } from './store.ts'

export interface HashedLine extends AccountLine {
  /** Null: no password. */
  readonly passwordHash: string | null
}

export interface Batch {
  readonly id: number
  readonly lines: readonly HashedLine[]
  readonly now: number
  readonly foreign: ForeignStaging | null
  readonly fields: readonly AccountField[]
  /** If false, stores only names, to find remaining errors. */
  readonly writes: boolean
}

export interface ForeignStaging extends Omit<TotpSealing, 'now'> {
  /** The product of the export. */
  readonly source: string
}

/** A line of an account that an earlier import made. */
export interface KnownLine {
  readonly line: AccountLine
  readonly userId: number
}

/** Of another product: accounts that earlier imports made. */
export async function knownLines<Line extends AccountLine>(
  db: DatabaseOrTransaction,
  source: string,
  lines: readonly Line[],
): Promise<{ readonly line: Line; readonly userId: number }[]> {
  const userOf = await knownUsers(db, source, lines)
  return lines.flatMap((line) => {
    const userId = userOf(line)
    return userId === undefined ? [] : [{ line, userId }]
  })
}

export interface Staged {
  readonly mistakes: readonly Mistake[]
  readonly newUsers: number
  readonly known: readonly KnownLine[]
}

/**
 * Returns errors for taken names and users. Visible accounts and older imports keep a name; a
 * younger import loses it.
 */
export async function stage(
  trx: DatabaseOrTransaction,
  { id, lines: given, now, writes, foreign, fields }: Batch,
): Promise<Staged> {
  if (given.length === 0) return { mistakes: [], newUsers: 0, known: [] }
  const store = importStore(trx)
  const ids = foreign && (await knownForeign(trx, id, foreign.source, given))
  const known = given.flatMap((line): KnownLine[] => {
    const userId = ids?.userOf(line)
    return userId === undefined ? [] : [{ line, userId }]
  })
  const again = new Set(known.map(({ line }) => line))
  const lines = given.filter((line) => !again.has(line))
  const usernames = lines.map(({ username }) => username)
  const userIds = lines.flatMap(({ user }) => ('id' in user ? [user.id] : []))
  if (writes) await store.keepOpen(id, usernames, userIds)
  const holders = await store.holders(usernames, userIds)
  const refusalOf = judge(id, {
    holders,
    read: await store.read(id, usernames, userIds),
    presentUsers: new Set((await store.users(userIds)).map(({ id }) => id)),
  })
  const mistakes: Mistake[] = []
  const free = lines.filter((line) => {
    const refusal = refusalOf(line) ?? ids?.refusalOf(line)
    if (refusal) mistakes.push({ line: line.line, ...refusal })
    return !refusal
  })
  if (!writes || mistakes.length > 0) {
    mistakes.push(
      ...(await importFields(
        trx,
        fields,
        free.map((line) => ({ ...line, userId: 0 })),
      )),
    )
    await store.addNames(id, free.map(nameOf))
    return { mistakes, newUsers: 0, known }
  }

  const collisions = [...usernames, ...(ids?.collisions ?? [])]
  if (holders.length > 0 || ids) await accountsIn(trx).removeStaged(collisions, userIds, id)
  const newUsers = free.flatMap(({ user }) => ('id' in user ? [] : [user]))
  const newIds = (await insertStagedUsers(trx, newUsers, id)).values()
  const accounts = free.map(({ user, createdAt = now, ...line }) => ({
    ...line,
    createdAt,
    passwordChangedAt: line.secret !== 'none' && 'password' in line.secret ? now : null,
    userId: 'id' in user ? user.id : one(newIds.next().value),
    secondFactor: line.totp !== undefined,
  }))
  await accountsIn(trx).insertStaged(accounts, id)
  if (foreign) await insertForeign(trx, foreign.source, accounts, { ...foreign, now })
  mistakes.push(...(await importFields(trx, fields, accounts)))
  return { mistakes, newUsers: newUsers.length, known }
}

/** With `userId` 0 only checks the values. */
async function importFields(
  trx: DatabaseOrTransaction,
  fields: readonly AccountField[],
  accounts: readonly (Pick<AccountLine, 'line' | 'more'> & { readonly userId: number })[],
): Promise<Mistake[]> {
  const mistakes: Mistake[] = []
  for (const field of fields) {
    const given = accounts.flatMap(({ line, more, userId }) =>
      more?.[field.name] === undefined ? [] : [{ line, userId, value: more[field.name] }],
    )
    const refused = given.length === 0 ? [] : await field.import(trx, given)
    mistakes.push(...refused.map(({ line, detail }) => ({ line, ...detail })))
  }
  return mistakes
}

interface Known {
  readonly holders: readonly Holder[]
  readonly read: readonly { username: string; line: number; user_id: number | null }[]
  readonly presentUsers: ReadonlySet<number>
}

/** Returns a stateful check of one line after another. */
function judge(
  importId: number,
  { holders, read, presentUsers }: Known,
): (line: HashedLine) => Detail | undefined {
  const own = holders.flatMap(({ username, userId: user_id, staged }) =>
    staged?.importId === importId ? [{ username, user_id, line: staged.line ?? 0 }] : [],
  )
  const lineOfName = new Map([...read, ...own].map(({ username, line }) => [username, line]))
  const lineOfUser = new Map([...read, ...own].map(({ user_id, line }) => [user_id, line]))
  const inTheWay = holders.filter(
    ({ staged }) => staged === null || (staged.isOpen && staged.importId < importId),
  )
  const byName = new Map(inTheWay.map((holder) => [holder.username, holder]))
  const byUser = new Map(inTheWay.map((holder) => [holder.userId, holder]))

  return ({ line, username, user }) => {
    const refuse = (field: string, message: string) => ({ path: [field], message })
    const twice = lineOfName.get(username)
    if (twice !== undefined) return refuse('username', `is on line ${twice} already`)
    lineOfName.set(username, line)
    const holder = byName.get(username)
    if (holder) return refuse('username', holder.staged ? beingImported : 'exists already')
    if (!('id' in user)) return undefined
    if (!presentUsers.has(user.id)) return refuse('user_id', 'names no user')
    const again = lineOfUser.get(user.id)
    if (again !== undefined) return refuse('user_id', `is on line ${again} already`)
    lineOfUser.set(user.id, line)
    const owner = byUser.get(user.id)
    if (owner) return refuse('user_id', owner.staged ? beingImported : 'has an account already')
    return undefined
  }
}

function nameOf({ username, line, user }: HashedLine): ReadName {
  return { username, line, userId: 'id' in user ? user.id : null }
}

function one(id: number | undefined): number {
  if (id === undefined) throw new Error('fewer ids than users')
  return id
}
