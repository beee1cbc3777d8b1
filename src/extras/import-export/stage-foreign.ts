import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Detail } from '../../core/errors.ts'
import type { Username } from '../../core/lib/username.ts'
import { storeImportedSecrets, type TotpSealing } from '../../modules/totp/imported.ts'
import { type ForeignHolder, foreignStore } from './foreign-store.ts'
import type { AccountLine } from './line.ts'

export const beingImported = 'is being imported by somebody else'

export interface KnownForeign {
  /** The user of a line whose id came in with an earlier import. */
  userOf(line: AccountLine): number | undefined
  /** Stateful, of one line after another. */
  refusalOf(line: AccountLine): Detail | undefined
  /** Accounts of other imports that would collide. */
  readonly collisions: readonly Username[]
}

/** Ids and verified addresses of the lines that are taken already. */
export async function knownForeign(
  trx: DatabaseOrTransaction,
  importId: number,
  source: string,
  lines: readonly AccountLine[],
): Promise<KnownForeign> {
  const store = foreignStore(trx)
  const ids = lines.flatMap(({ extras }) => extras?.id ?? [])
  const emails = lines.flatMap(({ verifiedEmail }) => verifiedEmail?.key ?? [])
  const byId = await store.byId(source, ids)
  const byEmail = await store.byEmail(emails)
  const userIds = new Map(
    byId.flatMap(({ key, userId, staged }) => (staged ? [] : [[key, userId]])),
  )
  const idRefusal = judge(importId, byId, 'id', 'the id of')
  const emailRefusal = judge(importId, byEmail, 'email', 'the verified address of')
  return {
    userOf: ({ extras }) => (extras ? userIds.get(extras.id) : undefined),
    refusalOf: ({ line, extras, verifiedEmail }) =>
      (extras && idRefusal(extras.id, line)) ??
      (verifiedEmail && emailRefusal(verifiedEmail.key, line)),
    collisions: [...byId, ...byEmail].flatMap(({ staged, username }) =>
      staged && staged.importId !== importId ? [username] : [],
    ),
  }
}

function judge(importId: number, holders: readonly ForeignHolder[], field: string, what: string) {
  const lineOf = new Map<string, number>()
  const taken = new Map<string, string>()
  for (const { key, staged } of holders) {
    if (staged?.importId === importId) lineOf.set(key, staged.line ?? 0)
    else if (!staged) taken.set(key, `is ${what} another account`)
    else if (staged.isOpen && staged.importId < importId) {
      taken.set(key, beingImported)
    }
  }
  return (key: string, line: number): Detail | undefined => {
    const earlier = lineOf.get(key)
    if (earlier !== undefined) return { path: [field], message: `is on line ${earlier} already` }
    lineOf.set(key, line)
    const message = taken.get(key)
    return message === undefined ? undefined : { path: [field], message }
  }
}

/** The user of a line whose id came in with an earlier import. */
export async function knownUsers(
  db: DatabaseOrTransaction,
  source: string,
  lines: readonly AccountLine[],
): Promise<(line: AccountLine) => number | undefined> {
  const holders = await foreignStore(db).byId(
    source,
    lines.flatMap(({ extras }) => extras?.id ?? []),
  )
  const userIds = new Map(
    holders.flatMap(({ key, userId, staged }) => (staged ? [] : [[key, userId]])),
  )
  return ({ extras }) => (extras ? userIds.get(extras.id) : undefined)
}

/** What belongs to a staged account and no line of ours has. */
export async function insertForeign(
  trx: DatabaseOrTransaction,
  source: string,
  accounts: readonly (Pick<AccountLine, 'extras' | 'totp'> & { readonly userId: number })[],
  sealing: TotpSealing,
): Promise<void> {
  const ids = accounts.flatMap(({ extras, userId }) => (extras ? [{ id: extras.id, userId }] : []))
  await foreignStore(trx).insert(source, ids)
  const secrets = accounts.flatMap(({ totp, userId }) => (totp ? [{ userId, secret: totp }] : []))
  await storeImportedSecrets(trx, secrets, sealing)
}
