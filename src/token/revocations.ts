import type { ChangeFeed, Database, DatabaseOrTransaction } from '../database/connect.ts'
import { transact, word } from '../database/transactions.ts'
import { type Clock, clockLeewayMs } from '../kernel/clock.ts'
import type { AccessClaims } from '../kernel/principal.ts'
import type { RefreshClaims } from './claims.ts'
import { type LoggedRevocation, revocationStore, type StandingVersion } from './revocation-store.ts'

/**
 * Access tokens that ended before their time. Spec 3.2: a deny-list of single tokens (logout) and a
 * version per user (password, roles, lock, disabling, deletion), which stays for good: how long a token
 * lives is said by whoever signed it. All of it lies in the database, as a log, and in memory; no table is read for a token. What another process appends is seen because
 * the database's version changed; until it is read, no token passes.
 */
export interface Revocations {
  /** @throws DatabaseUnavailable where it cannot be told: never open by error */
  refuses(claims: Pick<AccessClaims, 'jti' | 'sub' | 'ver'>): boolean | Promise<boolean>
  /** Differs once the database may have been changed; as of the last `refuses`. */
  readonly epoch: number
  /** Ends one token. @throws DatabaseUnavailable where that cannot be stored */
  revoke(claims: Pick<AccessClaims, 'jti' | 'exp'>): Promise<void>
  /** Ends one refresh token. @throws as `revoke` */
  revokeRefresh(claims: Pick<RefreshClaims, 'rid' | 'exp'>): Promise<void>
  /** Whether a refresh token was ended by itself. @throws as `refuses` */
  refusesRefresh(claims: Pick<RefreshClaims, 'rid'>): boolean | Promise<boolean>
  /** Ends a user's access tokens below a version, in the transaction of what caused it. */
  revokeBelow(trx: DatabaseOrTransaction, userId: number, accessVersion: number): Promise<void>
  /** The log has grown by a transaction of this process: read it before the next token passes. */
  appended(): void
  reap(most: number): Promise<number>
}

export interface RevocationsDeps {
  readonly db: Database
  readonly feed: ChangeFeed
  readonly clock: Clock
}

/** Refresh tokens share the list; no `jti` of ours has a space in it. */
function refreshName(rid: string): string {
  return `refresh ${rid}`
}

// So long the log tells other processes of a user's version; whoever comes later reads it beside the user.
const loggedMs = 7 * 86_400_000

export async function loadRevocations(deps: RevocationsDeps): Promise<Revocations> {
  const { db, feed, clock } = deps
  const store = revocationStore(db)
  const tokens = new Map<string, number>()
  const versions = new Map<string, number>()
  let lastId = 0
  let appends = 0 // of this process, which the feed does not tell of
  let seenAppends = -1
  let seenVersion = -1
  let epoch = 0
  let reading: Promise<void> | undefined
  let next: Promise<void> | undefined
  let readAt = Number.NEGATIVE_INFINITY // in epoch milliseconds
  await catchUp()

  return {
    get epoch() {
      return epoch
    },

    refuses(claims) {
      return isCaughtUp() ? isListed(claims) : catchUp().then(() => isListed(claims))
    },

    refusesRefresh({ rid }) {
      const token = refreshName(rid)
      return isCaughtUp() ? tokens.has(token) : catchUp().then(() => tokens.has(token))
    },

    revoke: ({ jti, exp }) => deny(jti, exp * 1000),
    revokeRefresh: ({ rid, exp }) => deny(refreshName(rid), exp * 1000),

    async revokeBelow(trx, userId, accessVersion) {
      await revocationStore(trx).append({ userId, accessVersion }, clock.now() + loggedMs)
    },

    appended() {
      appends += 1
    },

    async reap(most) {
      const now = clock.now() - clockLeewayMs
      for (const [token, expiresAt] of tokens) if (expiresAt <= now) tokens.delete(token)
      return store.reap(now, most)
    },
  }

  async function deny(token: string, endMs: number): Promise<void> {
    // The column takes integers alone; an operator's own token, or an administrator, may say anything.
    const expiresAt = Math.ceil(Math.min(endMs, Number.MAX_SAFE_INTEGER))
    const isKnown = (tokens.get(token) ?? 0) >= expiresAt
    if (isKnown || expiresAt <= clock.now()) return // logging out again and again writes nothing
    await transact(db, [word.revocations], (trx) =>
      revocationStore(trx).append({ token }, expiresAt),
    )
    appends += 1
    await catchUp()
  }

  function isListed({ jti, sub, ver }: Pick<AccessClaims, 'jti' | 'sub' | 'ver'>): boolean {
    return tokens.has(jti) || (versions.get(sub) ?? 0) > ver
  }

  function isCaughtUp(): boolean {
    return seenAppends === appends && feed.isCurrent() && seenVersion === feed.version()
  }

  /**
   * What was committed before the call is known after it. One read for all who wait; those who come
   * while it runs share the next one, or its failure.
   */
  function catchUp(): Promise<void> {
    if (!reading) {
      reading = readLog().finally(() => {
        reading = undefined
      })
      return reading
    }
    next ??= reading
      .finally(() => {
        next = undefined
      })
      .then(() => (isCaughtUp() ? undefined : catchUp()))
    return next
  }

  async function readLog(): Promise<void> {
    // As it is before the read: what comes meanwhile is looked for again.
    const [readAppends, readVersion] = [appends, feed.version()]
    const now = clock.now()
    // Asked for no token so long that the log may have lost what came since.
    if (now - readAt > loggedMs / 2) (await store.standing()).forEach(rememberVersion)
    for (const entry of await store.after(lastId, now - clockLeewayMs)) remember(entry)
    readAt = now
    seenAppends = readAppends
    seenVersion = readVersion
    epoch += 1
  }

  function remember({ id, revocation, expiresAt }: LoggedRevocation): void {
    lastId = Math.max(lastId, id)
    if ('token' in revocation) {
      const { token } = revocation
      tokens.set(token, Math.max(expiresAt, tokens.get(token) ?? 0))
    } else {
      rememberVersion(revocation)
    }
  }

  function rememberVersion({ userId, accessVersion }: StandingVersion): void {
    const sub = String(userId)
    versions.set(sub, Math.max(accessVersion, versions.get(sub) ?? 0))
  }
}
