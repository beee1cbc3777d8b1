import { isLoopback } from '../../core/addresses/loopback.ts'
import { type Role, rolesAmong } from '../../core/policy/principal.ts'
import type { Account } from '../../modules/authentication/account.ts'
import { isRefusal } from '../../modules/authentication/requirement-table.ts'
import { type Requirements, reasonOfUnmet } from '../../modules/authentication/requirements.ts'
import type { ForwardRule } from './forward-rule.ts'
import { createJudge, type ReadingOfRequest } from './judge.ts'
import { hasTooManyMarks } from './path-variants.ts'
import { isValidUri, pathOf } from './request-line.ts'
import type { Site } from './site.ts'
import type { Verdict } from './verdict.ts'

export interface CheckedRequest {
  readonly site: Site
  readonly uri: string
  readonly method: string
  /** Of the visitor; null: not named. */
  readonly from: string | null
}

export interface ForwardCheck {
  /**
   * `sign_in`: allowed after a sign-in if the rules permit the caller; `denied`: 403; `refused`:
   * 400.
   */
  readonly answer: 'allowed' | 'sign_in' | 'denied' | 'refused'
  readonly why: string
  /** As in the file; null if none matches. */
  readonly rule: (Partial<ForwardRule> & Pick<ForwardRule, 'number'>) | null
  readonly policy: Verdict['policy']
  readonly because: Verdict['because']
  readonly readings: readonly ReadingOfRequest[]
}

export interface CheckedAccount {
  readonly account: Account
  readonly requirements: Pick<Requirements, 'unmet'>
  readonly roles: readonly Role[]
}

/** Explains which rule decides: for an account as if signed in, otherwise for an unknown caller. */
export function checkForward(
  rules: readonly ForwardRule[],
  request: CheckedRequest,
  of: CheckedAccount | null,
): ForwardCheck {
  const { from, site, uri, method } = request
  const address = () => from
  const asked = { host: site.host, scheme: site.scheme, uri, methods: [method], address }
  const judge = createJudge(rules)
  const caller = of && {
    username: of.account.username,
    roles: new Set(rolesAmong(of.account.roles, of.roles)),
  }
  const first = judge.judge(asked, null)
  const asksWho = first.policy === 'identify'
  const verdict = asksWho ? judge.judge(asked, caller) : first
  const readings = judge.readings(asked, asksWho ? caller : null)
  const rule = rules.find(({ number }) => number === verdict.rule)
  return {
    ...answerOf({ ...request, of, asksWho, verdict, rule, readings }),
    rule: rule ? written(rule) : null,
    policy: verdict.policy,
    because: verdict.because,
    readings: readings ?? [],
  }
}

interface Judged extends CheckedRequest {
  readonly of: CheckedAccount | null
  readonly asksWho: boolean
  readonly verdict: Verdict
  readonly rule: ForwardRule | undefined
  readonly readings: readonly ReadingOfRequest[] | null
}

function answerOf(judged: Judged): Pick<ForwardCheck, 'answer' | 'why'> {
  const { asksWho, of, rule, site, uri, verdict } = judged
  if (!isValidUri(uri)) {
    return refused('the address has characters or escapes that no path may have, or is too long')
  }
  if (asksWho && site.scheme === 'http' && !isLoopback(site.hostname)) {
    return refused('a credential counts over https alone, except on a loopback address')
  }
  if (hasTooManyMarks(pathOf(uri))) {
    return denied('its path has more than 200 escapes and semicolons, and is not read')
  }
  if (verdict.because === 'ambiguous') {
    return denied(
      judged.readings === null
        ? 'its path has no reading that is sure'
        : 'the readings of its path lead to different rules',
    )
  }
  if (verdict.because === 'no_address') {
    return refused(`rule ${verdict.rule} has networks: name the address of the visitor by --from`)
  }
  if (!rule) return denied('no rule matches it, and what none matches is denied')
  if (verdict.policy === 'bypass')
    return { answer: 'allowed', why: `rule ${rule.number} lets anyone through` }
  if (verdict.policy === 'deny') return denied(`rule ${rule.number} denies it`)
  if (of === null) return { answer: 'sign_in', why: whyIdentify(rule) }
  return answerOfAccount(of, rule)
}

function whyIdentify({ number, policy, roles, users }: ForwardRule): string {
  if (roles === null && users === null) return `rule ${number} wants ${factorsOf(policy)}`
  const does = policy === 'deny' ? 'denies it to' : `wants ${factorsOf(policy)} of`
  const ofRoles = roles?.join(' or ')
  if (users === null) {
    return `rule ${number} ${does} ${ofRoles}; a caller of other roles goes on to the next rules`
  }
  const who = [users.join(' or '), ...(ofRoles ? [`the role ${ofRoles}`] : [])].join(' with ')
  return `rule ${number} ${does} ${who}; for other callers the next rules count`
}

function answerOfAccount(
  { account, requirements }: CheckedAccount,
  { number, policy }: ForwardRule,
): Pick<ForwardCheck, 'answer' | 'why'> {
  const unmet = requirements.unmet('login', { account })
  const code = unmet && reasonOfUnmet(unmet, 'login', { account }).code
  if (unmet && isRefusal(unmet.cell)) {
    return denied(`rule ${number} would allow it, but the account cannot sign in (${code})`)
  }
  const steps = [
    ...(unmet && unmet.requirement !== 'second_factor'
      ? [`the sign-in has one more step (${code})`]
      : []),
    ...(policy === 'two_factor' && !account.secondFactor
      ? ['the account has no second factor yet: the sign-in enrols one']
      : []),
  ]
  return {
    answer: 'allowed',
    why: [`rule ${number} allows it after ${factorsOf(policy)}`, ...steps].join('; '),
  }
}

function factorsOf(policy: ForwardRule['policy']): string {
  return policy === 'two_factor' ? 'a login with a second factor' : 'a login'
}

function denied(why: string): Pick<ForwardCheck, 'answer' | 'why'> {
  return { answer: 'denied', why }
}

function refused(why: string): Pick<ForwardCheck, 'answer' | 'why'> {
  return { answer: 'refused', why }
}

function written(rule: ForwardRule): NonNullable<ForwardCheck['rule']> {
  const given = Object.entries(rule).filter(([, value]) => value !== null)
  return { number: rule.number, ...Object.fromEntries(given) }
}
