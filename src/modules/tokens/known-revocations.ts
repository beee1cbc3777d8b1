import type { RefusalReason } from '../../core/errors.ts'
import { createSweep } from '../../core/limits/sweep.ts'
import type { AccessClaims } from '../../core/policy/principal.ts'
import { userIdIn } from './claim-faults.ts'
import type { LoggedRevocation } from './revocation-store.ts'

const sweepBatchSize = 50_000
const pairPrefix = 'pair '

/**
 * The name of a pair in the deny-list of single tokens; no `jti` of this service contains a space.
 */
export function pairName(sid: string): string {
  return pairPrefix + sid
}

/** The `sid` of the pair that an entry names; null for a single token. */
export function sidOf(token: string): string | null {
  return token.startsWith(pairPrefix) ? token.slice(pairPrefix.length) : null
}

/** The names whose entries end an access token: its `jti` and its pair. */
export function namesOf({ jti, sid }: Pick<AccessClaims, 'jti' | 'sid'>): string[] {
  return sid === undefined ? [jti] : [jti, pairName(sid)]
}

/** The revocations that a process has read from the log, by token and by user. */
export class KnownRevocations {
  readonly #tokens = new Map<string, number>()
  readonly #versions = new Map<number, { readonly version: number; readonly expiresAt: number }>()
  readonly #sweepTokens = createSweep(this.#tokens, sweepBatchSize)
  readonly #sweepVersions = createSweep(this.#versions, sweepBatchSize)
  #last: LoggedRevocation | undefined

  /** The newest entry of the log, as of the last read. */
  get last(): LoggedRevocation | undefined {
    return this.#last
  }

  /** Whether a known revocation ends an access token. */
  ends({ jti, sid, sub, ver }: Pick<AccessClaims, 'jti' | 'sid' | 'sub' | 'ver'>): boolean {
    if (this.#tokens.has(jti) || (sid !== undefined && this.#tokens.has(pairName(sid)))) return true
    return (this.#versions.get(Number(sub))?.version ?? 0) > ver
  }

  /** Which revocation ends an access token; that of an earlier log if none of these does. */
  reasonOf({
    jti,
    sid,
    sub,
    ver,
  }: Pick<AccessClaims, 'jti' | 'sid' | 'sub' | 'ver'>): RefusalReason {
    const user_id = userIdIn(sub)
    if (this.#tokens.has(jti)) return { code: 'token_revoked', facts: { user_id } }
    if (sid !== undefined && this.#tokens.has(pairName(sid))) {
      return { code: 'token_pair_ended', facts: { user_id } }
    }
    const needed_ver = this.#versions.get(Number(sub))?.version ?? 0
    if (needed_ver > ver) return { code: 'token_signed_out', facts: { user_id, ver, needed_ver } }
    return { code: 'token_revoked_earlier', facts: { user_id } }
  }

  /** Until when a single token counts as ended, in epoch milliseconds; 0 if it has not ended. */
  endOf(token: string): number {
    return this.#tokens.get(token) ?? 0
  }

  /** Adds the entries after `last`, in the order of the log. */
  add(entries: readonly LoggedRevocation[]): void {
    for (const entry of entries) {
      const { revocation, expiresAt } = entry
      this.#last = entry
      if ('token' in revocation) {
        const { token } = revocation
        this.#tokens.set(token, Math.max(expiresAt, this.endOf(token)))
      } else {
        const { userId, accessVersion } = revocation
        const version = Math.max(accessVersion, this.#versions.get(userId)?.version ?? 0)
        this.#versions.set(userId, { version, expiresAt })
      }
    }
  }

  /** Adds the whole log, whose ids may have changed; all known revocations stay. */
  reload(entries: readonly LoggedRevocation[]): void {
    this.#last = undefined
    this.add(entries)
  }

  /** The known revocations that count after `now` and are missing in the log. */
  missingIn(
    entries: readonly LoggedRevocation[],
    now: number,
  ): Pick<LoggedRevocation, 'revocation' | 'expiresAt'>[] {
    const logged = new KnownRevocations()
    logged.add(entries)
    const tokens = [...this.#tokens]
      .filter(([token, expiresAt]) => expiresAt > now && logged.endOf(token) === 0)
      .map(([token, expiresAt]) => ({ revocation: { token }, expiresAt }))
    const users = [...this.#versions].flatMap(([userId, { version, expiresAt }]) => {
      const found = logged.#versions.get(userId)
      if (expiresAt <= now || (found && found.version > version)) return []
      if (found?.version !== version) {
        return [{ revocation: { userId, accessVersion: version }, expiresAt }]
      }
      // An equal version is the known entry, or that entry written again with one millisecond more.
      // Otherwise the database has given the version a second time, after it had lost the first.
      if (found.expiresAt === expiresAt || found.expiresAt === expiresAt + 1) return []
      return [{ revocation: { userId, accessVersion: version + 1 }, expiresAt: found.expiresAt }]
    })
    return [...tokens, ...users]
  }

  /** Removes a batch of the entries that have expired at `now`; repeated calls remove all. */
  forget(now: number): void {
    this.#sweepTokens((expiresAt) => expiresAt <= now)
    this.#sweepVersions(({ expiresAt }) => expiresAt <= now)
  }
}
