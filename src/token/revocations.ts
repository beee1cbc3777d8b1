import type { Config } from '../config.ts'
import type { ChangeFeed, Database, DatabaseOrTransaction } from '../database/connect.ts'
import { transact, word } from '../database/transactions.ts'
import { type Clock, clockLeewayMs } from '../kernel/clock.ts'
import type { AccessClaims } from '../kernel/principal.ts'
import { createSweep } from '../kernel/sweep.ts'
import type { RefreshClaims } from './claims.ts'
import { type LoggedRevocation, revocationStore } from './revocation-store.ts'

/**
 * Access tokens that ended before their time. Spec 3.2: a deny-list of single tokens (logout) and a
 * version per user (password, roles, lock, disabling, deletion). All of it lies in the database, as
 * a log, and in memory; no table is read for a token. What another process appends is seen because
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
  readonly config: Pick<Config, 'token'>
  readonly db: Database
  readonly feed: ChangeFeed
  readonly clock: Clock
}

/** Refresh tokens share the list; no `jti` of ours has a space in it. */
function refreshName(rid: string): string {
  return `refresh ${rid}`
}

// Tokens given out under longer settings than the present ones are still out there for a while.
const leastKeptSeconds = 7 * 86_400
const readAtOnce = 5000
const sweptAtOnce = 50_000

export async function loadRevocations(deps: RevocationsDeps): Promise<Revocations> {
  const { config, db, feed, clock } = deps
  const { singleSeconds, accessSeconds } = config.token
  const keptMs = Math.max(singleSeconds, accessSeconds, leastKeptSeconds) * 1000
  const store = revocationStore(db)
  const tokens = new Map<string, number>()
  const versions = new Map<string, { readonly version: number; readonly expiresAt: number }>()
  const sweepTokens = createSweep(tokens, sweptAtOnce)
  const sweepVersions = createSweep(versions, sweptAtOnce)
  let lastId = 0
  let appends = 0 // of this process, which the feed does not tell of
  let seenAppends = -1
  let seenVersion = -1
  let epoch = 0
  let reading: Promise<void> | undefined
  let next: Promise<void> | undefined
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
      await revocationStore(trx).append({ userId, accessVersion }, clock.now() + keptMs)
    },

    appended() {
      appends += 1
    },

    async reap(most) {
      const now = clock.now() - clockLeewayMs
      sweepTokens((expiresAt) => expiresAt <= now)
      sweepVersions(({ expiresAt }) => expiresAt <= now)
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
    return tokens.has(jti) || (versions.get(sub)?.version ?? 0) > ver
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
    // Not a million in one answer at a start: that would come too late for the limit of a query.
    let entries: LoggedRevocation[]
    do {
      entries = await store.after(lastId, clock.now() - clockLeewayMs, readAtOnce)
      for (const entry of entries) remember(entry)
    } while (entries.length === readAtOnce)
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
      const sub = String(revocation.userId)
      const version = Math.max(revocation.accessVersion, versions.get(sub)?.version ?? 0)
      versions.set(sub, { version, expiresAt })
    }
  }
}
