import type { Result } from '../authentication/completion.ts'
import type { Config } from '../config/load.ts'
import type { Events } from '../events/events.ts'
import { tokenCreated } from './events.ts'
import type { Pair, Tokens } from './tokens.ts'

/** The results of a login in the modes token and pair: not stored, and signed after the commit. */
export interface TokenResultDeps {
  readonly config: Pick<Config, 'token'>
  readonly events: Pick<Events, 'record'>
  readonly tokens: Pick<Tokens, 'issueAccess' | 'issuePair'>
}

/** A single access token, spec 2.4. */
export function tokenResult({ config, events, tokens }: TokenResultDeps): Result<void, string> {
  return {
    ...recorded(events),
    answer: (_, { account, amr, authTime }) =>
      tokens.issueAccess(account, { seconds: config.token.singleSeconds, amr, authTime }),
  }
}

/** An access token and a refresh token, spec 2.5. */
export function pairResult({ config, events, tokens }: TokenResultDeps): Result<void, Pair> {
  return {
    ...recorded(events),
    answer: (_, { account, amr, authTime }) =>
      tokens.issuePair(account, { seconds: config.token.accessSeconds, amr, authTime }),
  }
}

function recorded(events: TokenResultDeps['events']): Pick<Result<void, never>, 'give'> {
  return {
    give: (trx, { account: { userId } }) =>
      events.record(trx, tokenCreated, { user_id: userId, grant: 'login' }),
  }
}
