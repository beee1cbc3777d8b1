import type { Guard } from '../../core/database/transactions.ts'
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
}

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    otherTokens: OtherTokens
  }
}
