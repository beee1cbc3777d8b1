import type { Config } from '../../core/config/load.ts'
import type { RefusalReason } from '../../core/errors.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { type Requirements, reasonOfUnmet } from '../authentication/requirements.ts'
import { payloadOf } from './introspection.ts'
import type { TellReason } from './jws.ts'
import type { Revocations } from './revocations.ts'
import type { Rotation } from './rotation.ts'
import type { Tokens } from './tokens.ts'

export interface JudgedToken {
  /** Null unless signature and claims are valid. */
  readonly subject: string | null
  /** Null for an accepted token. */
  readonly reason: RefusalReason | null
}

export interface JudgeTokenDeps {
  readonly accounts: Pick<Accounts, 'byUserId'>
  readonly config: Pick<Config, 'token'>
  readonly requirements: Pick<Requirements, 'unmet'>
  readonly revocations: Pick<Revocations, 'reasonOf' | 'refuses' | 'refusesRefresh'>
  readonly rotation: Pick<Rotation, 'isSpent' | 'pairOf'>
  readonly tokens: Pick<Tokens, 'verifyAccess' | 'verifyRefresh'>
}

export type TokenKind = 'access' | 'enrolment' | 'refresh'

/** The kind that a text claims; access token by default. Not verified. */
export function kindOf(token: string): TokenKind {
  const type = payloadOf(token)?.type
  return type === 'refresh' || type === 'enrolment' ? type : 'access'
}

/**
 * Judges a token as a request with the token would, and changes nothing: a refresh token is not
 * used.
 * @throws DatabaseUnavailable
 */
export async function judgeToken(deps: JudgeTokenDeps, token: string): Promise<JudgedToken> {
  const kind = kindOf(token)
  return kind === 'refresh' ? judgeRefresh(deps, token) : judgeAccess(deps, token, kind)
}

async function judgeAccess(
  { revocations, tokens }: JudgeTokenDeps,
  token: string,
  kind: 'access' | 'enrolment',
): Promise<JudgedToken> {
  const { reason, tell } = told()
  const claims = await tokens.verifyAccess(token, kind, tell)
  if (!claims) return { subject: null, reason: reason() }
  const isRevoked = await revocations.refuses(claims)
  return { subject: claims.sub, reason: isRevoked ? revocations.reasonOf(claims) : null }
}

/** In the order of POST /refresh. */
async function judgeRefresh(
  { accounts, config, requirements, revocations, rotation, tokens }: JudgeTokenDeps,
  token: string,
): Promise<JudgedToken> {
  const { reason, tell } = told()
  const claims = await tokens.verifyRefresh(token, tell)
  if (!claims) return { subject: null, reason: reason() }
  const subject = claims.sub
  const facts = { user_id: Number(subject) }
  const refused = (
    code:
      | 'refresh_account_gone'
      | 'refresh_token_reused'
      | 'refresh_token_revoked'
      | 'token_pair_ended',
  ): JudgedToken => ({ subject, reason: { code, facts } })
  const account = await accounts.byUserId(facts.user_id)
  if (!account) return refused('refresh_account_gone')
  const since = { now: account, before: { refreshVersion: claims.ver } }
  const unmet = requirements.unmet('refresh', { account, since })
  if (unmet) return { subject, reason: reasonOfUnmet(unmet, 'refresh', { account }) }
  if ((await rotation.pairOf(claims)).isEnded) return refused('token_pair_ended')
  if (await revocations.refusesRefresh(claims)) return refused('refresh_token_revoked')
  const isSpent = config.token.rotatesRefresh && (await rotation.isSpent(claims))
  return isSpent ? refused('refresh_token_reused') : { subject, reason: null }
}

function told(): { readonly reason: () => RefusalReason; readonly tell: TellReason } {
  let last: RefusalReason = { code: 'token_malformed' }
  return {
    reason: () => last,
    tell: (reason) => {
      last = reason
    },
  }
}
