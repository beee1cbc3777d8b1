import type { Guard } from '../../core/database/transactions.ts'
import type { ErrorRow, FactValue, RefusalReason } from '../../core/errors.ts'
import type { ActiveToken } from './introspection.ts'

/** The client that asks about a token, and the audiences of its entry. */
export interface AskingClient {
  readonly id: string
  readonly audiences: ReadonlySet<string>
}

/** Tokens of another module, at the same endpoints. */
export interface OtherTokens {
  /** Null for a token that is not theirs, not active, or not for the client. RFC 7662 */
  introspect(token: string, by: AskingClient): Promise<ActiveToken | null>
  /** False for a token that is not theirs, or not the client's. RFC 7009 */
  revoke(token: string, by: AskingClient, guard: Guard | undefined): Promise<boolean>
  /** As a use of the token would be judged now; null for a token that is not theirs. */
  explain(token: string): Promise<ExplainedToken | null>
}

export interface ExplainedToken {
  /** In words: `refresh token of an application`. */
  readonly of: string
  /** Null for an unknown token. */
  readonly subject: string | null
  readonly facts: Readonly<Record<string, FactValue>>
  /** What its bearer would see. */
  readonly error: ErrorRow
  /** Null for an accepted token. */
  readonly reason: RefusalReason | null
}

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    otherTokens: OtherTokens
  }
}
