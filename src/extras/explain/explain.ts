import { type ErrorRow, problemOf, type RefusalReason } from '../../core/errors.ts'
import type { Events } from '../../core/events/events.ts'
import type { Static } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { ModuleNames } from '../../core/module/module.ts'
import type { LookUpReason } from '../../core/module/reasons.ts'
import type { Remedy } from '../../core/reasons/types.ts'
import type { Accounts } from '../../modules/accounts/accounts.ts'
import type { KeyJudge } from '../../modules/api-keys/judge.ts'
import { looksLikeKey } from '../../modules/api-keys/key-text.ts'
import { sensitiveRead } from '../../modules/audit/events.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { ExternalBearer } from '../../modules/federation/authenticator.ts'
import { userIdIn } from '../../modules/tokens/claim-faults.ts'
import { type JudgeTokenDeps, judgeToken, kindOf } from '../../modules/tokens/judge-token.ts'
import { errorText, showReason } from './explanations.ts'
import { judgeLogin } from './judge-login.ts'
import { type Check, type JudgedRoute, type JudgeRouteDeps, judgeRoute } from './judge-route.ts'
import type { RouteInput } from './match-route.ts'
import type { Refusals } from './refusals.ts'
import { type RemediesDeps, remediesFor } from './remedies.ts'
import type { Answer, RefusalBody } from './schemas.ts'

/**
 * Explains past refusals, and refusals that a token or account would meet now. Read-only, but each
 * explanation is an event.
 */
export interface ExplainDeps extends JudgeTokenDeps {
  readonly accounts: Accounts
  readonly canSendReset: RemediesDeps['canSendReset']
  readonly events: Pick<Events, 'emit'>
  readonly externalBearer: Pick<ExternalBearer, 'judge'>
  readonly keyJudge: Pick<KeyJudge, 'judge'>
  readonly lookUpReason: LookUpReason
  readonly modules: readonly ModuleNames[]
  readonly refusals: Pick<Refusals, 'find'>
  readonly requirements: JudgeRouteDeps['requirements'] & RemediesDeps['requirements']
  readonly throttle: RemediesDeps['throttle']
}

/** The subject of the administrator; null on the command line. */
export type Caller = string | null

export type RefusalShown = Static<typeof RefusalBody>
export type AnswerShown = Static<typeof Answer>

/** Null if not stored. */
export async function explainRefusal(
  deps: ExplainDeps,
  id: string,
  caller: Caller = null,
): Promise<RefusalShown | null> {
  const refusal = await deps.refusals.find(id)
  if (!refusal) return null
  deps.events.emit(sensitiveRead, {
    what: 'explain',
    of: refusal.id,
    user_id: userIdIn(refusal.subject),
  })
  const account = await accountOf(refusal.subject, deps)
  return {
    id: refusal.id,
    at: isoTime(refusal.at),
    status: refusal.status,
    error: errorText(refusal.error, deps.modules),
    method: refusal.method,
    route: refusal.route,
    ...(await showReason(refusal, deps.lookUpReason)),
    scheme: refusal.scheme,
    subject: refusal.subject,
    username: account?.username ?? null,
    address: refusal.address,
    ...asRemedies(
      await remediesFor(deps, {
        account,
        address: refusal.address,
        caller,
        code: refusal.code,
      }),
    ),
  }
}

/** The token is neither stored nor shown. */
export async function explainToken(
  deps: ExplainDeps,
  token: string,
  caller: Caller = null,
): Promise<AnswerShown> {
  const ofKey = looksLikeKey(token) ? await deps.keyJudge.judge(token) : null
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
      : passed(`The ${ofKey ? 'key' : 'token'} would be accepted.`)),
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

export function asAnswer(refusal: RefusalShown): AnswerShown {
  const { status, error, code, guard, explanation, facts, subject, username, route, remedies } =
    refusal
  return {
    ...{ of: 'refusal', passes: false, status, error, code, guard, explanation, facts },
    ...{
      subject,
      username,
      route,
      rule: null,
      schemes: [],
      checks: [],
      ...asRemedies(remedies),
      refusal,
    },
  }
}

export async function explainRoute(
  deps: ExplainDeps & JudgeRouteDeps,
  account: Account,
  wanted: RouteInput,
  caller: Caller = null,
): Promise<AnswerShown> {
  const judged = await judgeRoute(deps, account, wanted)
  deps.events.emit(sensitiveRead, { what: 'explain', of: 'route', user_id: account.userId })
  const admitted = 'The guards of the route would admit this account.'
  return {
    of: `${wanted.method} ${wanted.path}`,
    ...(await shownJudgement(deps, account, judged, { admitted, caller })),
  }
}

/** Assumes the right password. */
export async function explainLogin(
  deps: ExplainDeps & JudgeRouteDeps,
  account: Account,
  caller: Caller = null,
): Promise<AnswerShown> {
  const judged = await judgeLogin(deps, account)
  deps.events.emit(sensitiveRead, { what: 'explain', of: 'account', user_id: account.userId })
  const admitted = 'A login of this account would be admitted, if what it sends is right.'
  return {
    of: 'login',
    ...(await shownJudgement(deps, account, judged, { admitted, caller })),
  }
}

interface ShowHow {
  /** The text if nothing refuses. */
  readonly admitted: string
  readonly caller: Caller
}

async function shownJudgement(
  deps: ExplainDeps,
  account: Account,
  { checks, error, route, rule, schemes }: JudgedRoute,
  { admitted, caller }: ShowHow,
): Promise<Omit<AnswerShown, 'of'>> {
  const refusing = checks.find(({ reason }) => reason !== null)?.reason ?? null
  return {
    passes: refusing === null,
    ...(refusing && error ? await shownRefusal(error, refusing, deps) : passed(admitted)),
    subject: String(account.userId),
    username: account.username,
    route,
    rule,
    schemes: [...schemes],
    checks: await Promise.all(checks.map((check) => shownCheck(check, deps))),
    ...asRemedies(
      await remediesFor(deps, {
        account,
        address: null,
        caller,
        code: refusing?.code ?? null,
      }),
    ),
    refusal: null,
  }
}

/** `mends`: the name before 0.13.0, kept until 1.0. */
function asRemedies(remedies: Remedy[]) {
  return { remedies, mends: remedies }
}

async function accountOf(subject: string | null, { accounts }: ExplainDeps) {
  const userId = userIdIn(subject)
  return userId === null ? null : accounts.byUserId(userId)
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
