import type { Config } from '../../core/config/load.ts'
import type { Events } from '../../core/events/events.ts'
import type { Result } from '../authentication/completion.ts'
import { tokenCreated } from './events.ts'
import type { Pair, Tokens } from './tokens.ts'

/** Results of a login in the modes token and pair: not stored, and signed after the commit. */
export interface TokenResultDeps {
  readonly config: Pick<Config, 'token'>
  readonly events: Pick<Events, 'emitInTransaction'>
  readonly tokens: Pick<Tokens, 'issueAccess' | 'issuePair' | 'newJti'>
}

/** Spec 2.4. */
export function tokenResult({ config, events, tokens }: TokenResultDeps): Result<string, string> {
  return {
    ...recorded(events, tokens),
    respond: (jti, { account, amr, authTime }) =>
      tokens.issueAccess(account, { seconds: config.token.singleSeconds, amr, authTime, jti }),
  }
}

/** Spec 2.5. */
export function pairResult({ config, events, tokens }: TokenResultDeps): Result<string, Pair> {
  return {
    ...recorded(events, tokens),
    respond: (jti, { account, amr, authTime }) =>
      tokens.issuePair(account, { seconds: config.token.accessSeconds, amr, authTime, jti }),
  }
}

/** The issue is recorded under the returned `jti`. */
function recorded(
  events: TokenResultDeps['events'],
  tokens: Pick<Tokens, 'newJti'>,
): Pick<Result<string, never>, 'issue'> {
  return {
    async issue(trx, { account: { userId, username }, amr }) {
      const jti = tokens.newJti()
      const login = { username, factors: amr, jti }
      await events.emitInTransaction(
        trx,
        tokenCreated,
        { user_id: userId, grant: 'login' },
        { login },
      )
      return jti
    },
  }
}
