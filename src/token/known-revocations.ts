import { createSweep } from '../bounded/sweep.ts'
import type { AccessClaims } from '../kernel/principal.ts'
import type { LoggedRevocation } from './revocation-store.ts'

const sweptAtOnce = 50_000
const pairPrefix = 'pair '

/** A pair in the list of single tokens; no `jti` of ours has a space in it. */
export function pairName(sid: string): string {
  return pairPrefix + sid
}

/** The pair that an entry names; null for a single token. */
export function sidOf(token: string): string | null {
  return token.startsWith(pairPrefix) ? token.slice(pairPrefix.length) : null
}

/** What ends an access token by itself: its `jti`, and the pair that it came with. */
export function namesOf({ jti, sid }: Pick<AccessClaims, 'jti' | 'sid'>): string[] {
  return sid === undefined ? [jti] : [jti, pairName(sid)]
}

/** What a process knows of the log of revocations, by token and by user. */
export class KnownRevocations {
  readonly #tokens = new Map<string, number>()
  readonly #versions = new Map<number, { readonly version: number; readonly expiresAt: number }>()
  readonly #sweepTokens = createSweep(this.#tokens, sweptAtOnce)
  readonly #sweepVersions = createSweep(this.#versions, sweptAtOnce)
  #last: LoggedRevocation | undefined

  /** The newest entry of the log, as of the last read. */
  get last(): LoggedRevocation | undefined {
    return this.#last
  }

  ends({ jti, sid, sub, ver }: Pick<AccessClaims, 'jti' | 'sid' | 'sub' | 'ver'>): boolean {
    if (this.#tokens.has(jti) || (sid !== undefined && this.#tokens.has(pairName(sid)))) return true
    return (this.#versions.get(Number(sub))?.version ?? 0) > ver
  }

  /** Until when a single token is known to have ended, in epoch milliseconds; 0 where it is not. */
  endOf(token: string): number {
    return this.#tokens.get(token) ?? 0
  }

  /** Takes what was read behind the last one, in the order of the log. */
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

  /** Takes the whole log, whose ids may be others by now; what was known before stays. */
  startAnew(entries: readonly LoggedRevocation[]): void {
    this.#last = undefined
    this.add(entries)
  }

  /** What is known, counts after `now` and is not in the log. */
  missingIn(
    entries: readonly LoggedRevocation[],
    now: number,
  ): Pick<LoggedRevocation, 'revocation' | 'expiresAt'>[] {
    const there = new KnownRevocations()
    there.add(entries)
    const tokens = [...this.#tokens]
      .filter(([token, expiresAt]) => expiresAt > now && there.endOf(token) === 0)
      .map(([token, expiresAt]) => ({ revocation: { token }, expiresAt }))
    const users = [...this.#versions].flatMap(([userId, { version, expiresAt }]) => {
      const found = there.#versions.get(userId)
      if (expiresAt <= now || (found && found.version > version)) return []
      if (found?.version !== version) {
        return [{ revocation: { userId, accessVersion: version }, expiresAt }]
      }
      // The same, as it was or as it was written again; or a version that was given a second time.
      if (found.expiresAt === expiresAt || found.expiresAt === expiresAt + 1) return []
      return [{ revocation: { userId, accessVersion: version + 1 }, expiresAt: found.expiresAt }]
    })
    return [...tokens, ...users]
  }

  /** Some of what counts no more at `now`; all of it, by and by. */
  forget(now: number): void {
    this.#sweepTokens((expiresAt) => expiresAt <= now)
    this.#sweepVersions(({ expiresAt }) => expiresAt <= now)
  }
}
