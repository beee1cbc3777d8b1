import type { RefusalReason } from '../../core/errors.ts'
import { createSweep } from '../../core/limits/sweep.ts'
import type { AccessClaims } from '../../core/policy/principal.ts'
import { userIdIn } from './claim-faults.ts'
import type { LoggedRevocation } from './revocation-store.ts'

const sweepBatchSize = 50_000
const pairPrefix = 'pair '

/** The name of a pair in the deny-list; no `jti` contains a space. */
export function pairName(sid: string): string {
  return pairPrefix + sid
}

/** Null for a single token. */
export function sidOf(token: string): string | null {
  return token.startsWith(pairPrefix) ? token.slice(pairPrefix.length) : null
}

export function namesOf({ jti, sid }: Pick<AccessClaims, 'jti' | 'sid'>): string[] {
  return sid === undefined ? [jti] : [jti, pairName(sid)]
}

/** The revocations that this process has read from the log. */
export class KnownRevocations {
  readonly #tokens = new Map<string, number>()
  readonly #versions = new Map<number, { readonly version: number; readonly expiresAt: number }>()
  readonly #sweepTokens = createSweep(this.#tokens, sweepBatchSize)
  readonly #sweepVersions = createSweep(this.#versions, sweepBatchSize)
  #last: LoggedRevocation | undefined

  get last(): LoggedRevocation | undefined {
    return this.#last
  }

  /** 0 before the first entry. */
  get lastId(): number {
    return this.#last?.id ?? 0
  }

  /** Whether the log ends this token, pair or refresh token. */
  has(token: string): boolean {
    return this.#tokens.has(token)
  }

  ends({ jti, sid, sub, ver }: Pick<AccessClaims, 'jti' | 'sid' | 'sub' | 'ver'>): boolean {
    if (this.#tokens.has(jti) || (sid !== undefined && this.#tokens.has(pairName(sid)))) return true
    return (this.#versions.get(Number(sub))?.version ?? 0) > ver
  }

  /** The revocation that ends a token; the reason of an earlier log if none matches. */
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

  /** When the entry of a token expires, in epoch milliseconds; 0 without an entry. */
  endOf(token: string): number {
    return this.#tokens.get(token) ?? 0
  }

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

  /** Adds the whole log, whose ids may have changed; known revocations stay. */
  reload(entries: readonly LoggedRevocation[]): void {
    this.#last = undefined
    this.add(entries)
  }

  /** The known revocations that still count after `now` and are missing in the log. */
  missingIn(
    entries: readonly LoggedRevocation[],
    now: number,
  ): Pick<LoggedRevocation, 'revocation' | 'expiresAt'>[] {
    const logged = new KnownRevocations()
    logged.add(entries)
    const tokens = [...this.#tokens]
      .filter(([token, expiresAt]) => expiresAt > now && !logged.has(token))
      .map(([token, expiresAt]) => ({ revocation: { token }, expiresAt }))
    const users = [...this.#versions].flatMap(([userId, { version, expiresAt }]) => {
      const found = logged.#versions.get(userId)
      if (expiresAt <= now || (found && found.version > version)) return []
      if (found?.version !== version) {
        return [{ revocation: { userId, accessVersion: version }, expiresAt }]
      }
      // An entry with the same version is the known entry, or the entry restored with one more
      // millisecond. Any other entry means that the database lost a version and assigned it again.
      if (found.expiresAt === expiresAt || found.expiresAt === expiresAt + 1) return []
      return [{ revocation: { userId, accessVersion: version + 1 }, expiresAt: found.expiresAt }]
    })
    return [...tokens, ...users]
  }

  /** Removes one batch of entries that have expired at `now`. */
  forget(now: number): void {
    this.#sweepTokens((expiresAt) => expiresAt <= now)
    this.#sweepVersions(({ expiresAt }) => expiresAt <= now)
  }
}
