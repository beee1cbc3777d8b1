import type { Accounts } from '../accounts/accounts.ts'
import { sensitiveRead } from '../audit/events.ts'
import type { Account } from '../authentication/account.ts'
import type { Events } from '../events/events.ts'
import type { ExternalBearer } from '../federation/authenticator.ts'
import type { Static } from '../http/schemas.ts'
import { isoTime } from '../kernel/clock.ts'
import { type ErrorRow, problemOf, type RefusalReason } from '../kernel/errors.ts'
import { userIdIn } from '../token/claim-faults.ts'
import { type JudgeTokenDeps, judgeToken, kindOf } from '../token/judge-token.ts'
import { errorText, type LookUpReason, showReason, usernameOf } from './explanations.ts'
import { type Check, type JudgeRouteDeps, judgeRoute } from './judge-route.ts'
import type { WantedRoute } from './match-route.ts'
import type { Refusals } from './refusals.ts'
import type { Answer, RefusalBody } from './schemas.ts'

/**
 * Explains refusals to an operator, over HTTP and at the command line: those that happened, and
 * those that a token or an account would meet now. It changes nothing and counts nothing. Each
 * explanation is an event.
 */
export interface ExplainDeps extends JudgeTokenDeps {
  readonly accounts: Accounts
  readonly events: Pick<Events, 'tell'>
  readonly externalBearer: Pick<ExternalBearer, 'judge'>
  readonly lookUpReason: LookUpReason
  readonly refusals: Pick<Refusals, 'find'>
  readonly requirements: JudgeRouteDeps['requirements']
}

export type RefusalShown = Static<typeof RefusalBody>
export type AnswerShown = Static<typeof Answer>

/** The refusal of a request as an operator reads it; null if none of this id is kept. */
export async function explainRefusal(deps: ExplainDeps, id: string): Promise<RefusalShown | null> {
  const refusal = await deps.refusals.find(id)
  if (!refusal) return null
  deps.events.tell(sensitiveRead, {
    what: 'explain',
    of: refusal.id,
    user_id: userIdIn(refusal.subject),
  })
  return {
    id: refusal.id,
    at: isoTime(refusal.at),
    status: refusal.status,
    error: errorText(refusal.error),
    method: refusal.method,
    route: refusal.route,
    ...(await showReason(refusal, deps.lookUpReason)),
    scheme: refusal.scheme,
    subject: refusal.subject,
    username: await usernameOf(refusal.subject, deps.accounts),
    address: refusal.address,
  }
}

/** Whether a token would be accepted now, and why not. Its text is neither kept nor shown. */
export async function explainToken(deps: ExplainDeps, token: string): Promise<AnswerShown> {
  const external = await deps.externalBearer.judge(token)
  const { reason, subject } = external ?? (await judgeToken(deps, token))
  const kind = external ? 'external' : kindOf(token)
  const error = kind === 'refresh' ? 'invalidRefreshToken' : 'invalidOrExpiredToken'
  const user_id = userIdIn(subject)
  deps.events.tell(sensitiveRead, { what: 'explain', of: 'token', user_id })
  return {
    of: `${kind} token`,
    passes: reason === null,
    ...(reason ? await shownRefusal(error, reason, deps) : passed('The token would be accepted.')),
    subject,
    username: await usernameOf(subject, deps.accounts),
    route: null,
    rule: null,
    schemes: [],
    checks: [],
  }
}

/** Whether an account would pass the guards of a route now, and which one refuses it. */
export async function explainRoute(
  deps: ExplainDeps & JudgeRouteDeps,
  account: Account,
  wanted: WantedRoute,
): Promise<AnswerShown> {
  const judged = await judgeRoute(deps, account, wanted)
  const refusing = judged.checks.find(({ reason }) => reason !== null)?.reason ?? null
  const { error, route, rule, schemes } = judged
  const user_id = account.userId
  deps.events.tell(sensitiveRead, { what: 'explain', of: 'route', user_id })
  return {
    of: `${wanted.method} ${wanted.path}`,
    passes: refusing === null,
    ...(refusing && error
      ? await shownRefusal(error, refusing, deps)
      : passed('The guards of the route would admit this account.')),
    subject: String(user_id),
    username: account.username,
    route,
    rule,
    schemes: [...schemes],
    checks: await Promise.all(judged.checks.map((check) => shownCheck(check, deps))),
  }
}

async function shownCheck({ asks, reason }: Check, { lookUpReason }: ExplainDeps) {
  if (!reason) return { asks, passes: true, code: null, explanation: null, facts: {} }
  const { code, explanation, facts } = await showReason(reason, lookUpReason)
  return { asks, passes: false, code, explanation, facts }
}

async function shownRefusal(row: ErrorRow, reason: RefusalReason, { lookUpReason }: ExplainDeps) {
  const { error, status } = problemOf(row)
  return { status, error, ...(await showReason(reason, lookUpReason)) }
}

function passed(explanation: string) {
  return { status: null, error: null, code: null, guard: null, explanation, facts: {} }
}
