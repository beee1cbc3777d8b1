import { looksLikeKey } from '../../modules/api-keys/key-text.ts'
import { sensitiveRead } from '../../modules/audit/events.ts'
import { userIdIn } from '../../modules/tokens/claim-faults.ts'
import { judgeToken, kindOf } from '../../modules/tokens/judge-token.ts'
import type { ExplainedToken } from '../../modules/tokens/other-tokens.ts'
import { withTimes } from './explanations.ts'
import { remediesFor } from './remedies.ts'
import {
  type AnswerShown,
  accountOf,
  asRemedies,
  type Caller,
  type ExplainDeps,
  passed,
  shownRefusal,
} from './shown.ts'

const tokenPasses = {
  en: 'The token would be accepted.',
  de: 'Das Token würde angenommen.',
} as const
const keyPasses = {
  en: 'The key would be accepted.',
  de: 'Der Schlüssel würde angenommen.',
} as const

/** The token is neither stored nor shown. */
export async function explainToken(
  deps: ExplainDeps,
  token: string,
  caller: Caller = null,
): Promise<AnswerShown> {
  const ofKey = looksLikeKey(token) ? await deps.keyJudge.judge(token) : null
  const other = ofKey ? null : await otherToken(deps, token)
  if (other) return explainOther(deps, other, caller)
  const external = ofKey ? null : await deps.externalBearer.judge(token)
  const { reason, subject } = ofKey ?? external ?? (await judgeToken(deps, token))
  const kind = external ? 'external' : kindOf(token)
  const error = kind === 'refresh' ? 'invalidRefreshToken' : 'invalidOrExpiredToken'
  const user_id = userIdIn(subject)
  deps.events.emit(sensitiveRead, { what: 'explain', of: 'token', user_id })
  const account = await accountOf(subject, deps)
  return {
    of: ofKey ? 'key' : `${kind} token`,
    passes: reason === null,
    ...(reason
      ? await shownRefusal(error, reason, deps)
      : passed(ofKey ? keyPasses : tokenPasses, deps)),
    subject,
    username: account?.username ?? null,
    route: null,
    rule: null,
    schemes: [],
    checks: [],
    ...asRemedies(
      reason ? await remediesFor(deps, { account, address: null, caller, code: reason.code }) : [],
    ),
    refusal: null,
  }
}

/** Null for a token that no other module has made. */
export async function otherToken(
  { otherTokens }: Pick<ExplainDeps, 'otherTokens'>,
  token: string,
): Promise<ExplainedToken | null> {
  for (const { explain } of otherTokens()) {
    const explained = await explain(token)
    if (explained) return explained
  }
  return null
}

export async function explainOther(
  deps: ExplainDeps,
  { error, facts, of, reason, subject }: ExplainedToken,
  caller: Caller,
): Promise<AnswerShown> {
  deps.events.emit(sensitiveRead, { what: 'explain', of: 'token', user_id: userIdIn(subject) })
  const account = await accountOf(subject, deps)
  const shown = reason ? await shownRefusal(error, reason, deps) : passed(tokenPasses, deps)
  const code = reason?.code ?? null
  const remedies = reason ? await remediesFor(deps, { account, address: null, caller, code }) : []
  return {
    ...{ of, passes: reason === null, ...shown, facts: { ...withTimes(facts), ...shown.facts } },
    ...{ subject, username: account?.username ?? null, route: null, rule: null },
    ...{ schemes: [], checks: [], ...asRemedies(remedies), refusal: null },
  }
}
