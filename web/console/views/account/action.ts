import type { account } from './en.ts'
import type { ShownAccount } from './read-account.ts'

/** What an action of the page needs. */
export interface ActionContext {
  readonly shown: ShownAccount
  readonly t: typeof account
  /** Reads the page anew. */
  readonly reload: () => void
}

/** The sentence about what ends with all logins of the account. */
export function endedLogins({ shown, t }: ActionContext): string {
  const { sessions, tokens_issued } = shown.details
  return t.endsLogins(sessions, tokens_issued)
}
