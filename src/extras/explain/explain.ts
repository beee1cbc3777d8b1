import { isoTime } from '../../core/lib/clock.ts'
import type { Words } from '../../core/lib/languages.ts'
import { sensitiveRead } from '../../modules/audit/events.ts'
import type { Account } from '../../modules/authentication/account.ts'
import { userIdIn } from '../../modules/tokens/claim-faults.ts'
import { errorText, showReason } from './explanations.ts'
import { judgeLogin } from './judge-login.ts'
import { type Check, type JudgedRoute, type JudgeRouteDeps, judgeRoute } from './judge-route.ts'
import type { RouteInput } from './match-route.ts'
import { remediesFor } from './remedies.ts'
import {
  type AnswerShown,
  accountOf,
  asRemedies,
  type Caller,
  type ExplainDeps,
  passed,
  type RefusalShown,
  shownRefusal,
} from './shown.ts'

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
    ...(await showReason(refusal, deps)),
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
  const admitted = {
    en: 'The guards of the route would admit this account.',
    de: 'Die Prüfungen der Route würden dieses Konto zulassen.',
  }
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
  const admitted = {
    en: 'A login of this account would be admitted, if what it sends is right.',
    de: 'Eine Anmeldung dieses Kontos würde zugelassen, wenn stimmt, was sie sendet.',
  }
  return {
    of: 'login',
    ...(await shownJudgement(deps, account, judged, { admitted, caller })),
  }
}

interface ShowHow {
  /** The text if nothing refuses. */
  readonly admitted: Words
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
    ...(refusing && error ? await shownRefusal(error, refusing, deps) : passed(admitted, deps)),
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

async function shownCheck({ asks: words, reason }: Check, deps: ExplainDeps) {
  const asks = words[deps.language]
  if (!reason) return { asks, passes: true, code: null, explanation: null, facts: {} }
  const { code, explanation, facts } = await showReason(reason, deps)
  return { asks, passes: false, code, explanation, facts }
}
