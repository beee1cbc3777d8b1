import type { Config } from '../../core/config/load.ts'
import type { ErrorRow, RefusalReason } from '../../core/errors.ts'
import { reasonOfDenial } from '../../core/http/changes/denied.ts'
import { resourceAbsent } from '../../core/http/changes/resource.ts'
import type { Authenticator, RouteDeclaration } from '../../core/http/routes/declaration.ts'
import { csrfGuardsOf, onlyNamed } from '../../core/http/routes/declaration.ts'
import type { Words } from '../../core/lib/languages.ts'
import { decide } from '../../core/policy/decide.ts'
import { groupOf, groups } from '../../core/policy/groups.ts'
import { type Principal, rolesAmong } from '../../core/policy/principal.ts'
import { describeRule, needsResource, type Rule } from '../../core/policy/rules.ts'
import type { Account } from '../../modules/authentication/account.ts'
import { isRefusal } from '../../modules/authentication/requirement-table.ts'
import { type Requirements, reasonOfUnmet } from '../../modules/authentication/requirements.ts'
import { canBeDecoded, type MatchedRoute, matchRoute, type RouteInput } from './match-route.ts'

export interface JudgeRouteDeps {
  readonly config: Pick<Config, 'roles'>
  readonly requirements: Pick<Requirements, 'unmet'>
  readonly routes: readonly MatchedRoute['route'][]
}

/** A guard and its result for an account. */
export interface Check {
  readonly asks: Words
  /** Null if it passes. */
  readonly reason: RefusalReason | null
}

/** In the order of the guards. */
export interface JudgedRoute {
  /** Null if no route matches. */
  readonly route: string | null
  readonly rule: string | null
  readonly schemes: readonly string[]
  readonly checks: readonly Check[]
  /** Of the first failing check. */
  readonly error: ErrorRow | null
}

/**
 * Assumes a fresh authentication by each accepted scheme. Reads account and resource, changes
 * nothing, and does not check passwords, codes or bodies.
 */
export async function judgeRoute(
  deps: JudgeRouteDeps,
  account: Account,
  wanted: RouteInput,
): Promise<JudgedRoute> {
  const judgement = new Judgement()
  if (!canBeDecoded(wanted.path)) {
    judgement.add(
      { en: 'an address that can be decoded', de: 'eine Adresse, die sich dekodieren lässt' },
      { code: 'bad_url' },
      'badRequest',
    )
    return {
      route: null,
      rule: null,
      schemes: [],
      checks: judgement.checks,
      error: judgement.error,
    }
  }
  const found = matchRoute(deps.routes, wanted)
  const rule = found?.route.config?.access?.rule ?? groupOf(wanted.path)?.rule ?? null
  const accepted = found?.route.config?.accepted ?? []
  const principal = principalOf(account, deps)
  if (rule && decide(rule, null) !== true) {
    if (found) askAuthentication(judgement, deps, account, found, accepted)
    askRule(judgement, rule, principal)
  }
  askLogin(judgement, deps, account, found?.route.url === '/login')
  const isKnown = found !== null && !isGroupFallback(found.route.url)
  if (!isKnown) {
    const code = found ? 'unknown_route_of_group' : 'unknown_route'
    judgement.add(
      {
        en: 'a route of this method and path',
        de: 'eine Route mit dieser Methode und diesem Pfad',
      },
      { code },
      'routeNotFound',
    )
  } else {
    const { config = {} } = found.route
    askOthers(judgement, found, config)
    await askResource(judgement, found, config, principal)
  }
  return {
    route: isKnown ? found.route.url : null,
    rule: rule && describeRule(rule),
    schemes: rule?.kind === 'anyone' ? [] : accepted.map(({ scheme }) => scheme),
    checks: judgement.checks,
    error: judgement.error,
  }
}

class Judgement {
  readonly checks: Check[] = []
  error: ErrorRow | null = null

  add(asks: Words, reason: RefusalReason | null, error: ErrorRow): void {
    this.checks.push({ asks, reason })
    if (reason !== null) this.error ??= error
  }

  /** For a guard that depends on the request only. */
  note(asks: Words): void {
    this.checks.push({ asks, reason: null })
  }
}

/** By at least one scheme. */
function askAuthentication(
  judgement: Judgement,
  { requirements }: JudgeRouteDeps,
  account: Account,
  { route }: MatchedRoute,
  accepted: readonly Authenticator[],
): void {
  const reasons = accepted.map(({ scheme }) => ({ scheme, reason: byScheme(scheme) }))
  const isAdmitted = reasons.some(({ reason }) => reason === null)
  const error = onlyNamed(route.config ?? {})?.missing ?? 'authenticationRequired'
  for (const { scheme, reason } of reasons) {
    // A refusing scheme does not matter if another scheme admits the account.
    const asks = { en: `authentication by ${scheme}`, de: `Anmeldung mit ${scheme}` }
    if (isAdmitted && reason) {
      judgement.note({
        en: `${asks.en}: not for this account (${reason.code})`,
        de: `${asks.de}: nicht für dieses Konto (${reason.code})`,
      })
    } else judgement.add(asks, reason, error)
  }
  if (reasons.length === 0) {
    const facts = { accepted: [], sent_scheme: null }
    judgement.add(
      { en: 'authentication', de: 'eine Anmeldung' },
      { code: 'no_credential', facts },
      error,
    )
  }

  function byScheme(scheme: string): RefusalReason | null {
    if (scheme === 'client') {
      return { code: 'no_credential', facts: { accepted: [scheme], sent_scheme: null } }
    }
    const stages = scheme === 'basic' ? (['login', 'basic'] as const) : (['session'] as const)
    for (const stage of stages) {
      const unmet = requirements.unmet(stage, { account })
      const mayEnrol = unmet?.cell === 'enrolment-only' && route.config?.enrols === true
      if (unmet && !mayEnrol && unmet.cell !== 'challenge')
        return reasonOfUnmet(unmet, stage, { account })
    }
    return null
  }
}

function askLogin(
  judgement: Judgement,
  { requirements }: JudgeRouteDeps,
  account: Account,
  isAsked: boolean,
): void {
  const unmet = requirements.unmet('login', { account })
  const reason = unmet && reasonOfUnmet(unmet, 'login', { account })
  if (isAsked && (!unmet || isRefusal(unmet.cell))) {
    judgement.add(
      { en: 'a login', de: 'eine Anmeldung' },
      reason,
      unmet && isRefusal(unmet.cell) ? unmet.cell : 'internal',
    )
  } else if (unmet && reason) {
    const isRefused = isRefusal(unmet.cell)
    judgement.note({
      en: `a new login ${isRefused ? 'is refused' : 'asks for one more step'} (${reason.code})`,
      de: `eine neue Anmeldung ${isRefused ? 'wird abgelehnt' : 'verlangt einen weiteren Schritt'} (${reason.code})`,
    })
  }
}

function askRule(judgement: Judgement, rule: Rule, principal: Principal): void {
  const isDenied = decide(rule, principal) === false
  const reason = isDenied ? reasonOfDenial(rule, principal) : null
  const text = describeRule(rule)
  judgement.add({ en: `the rule: ${text}`, de: `die Regel: ${text}` }, reason, 'accessDenied')
}

function askOthers(judgement: Judgement, { route }: MatchedRoute, config: RouteDeclaration): void {
  const guards = new Set(csrfGuardsOf(route.method, config))
  if (guards.has('token'))
    judgement.note({
      en: 'X-CSRF-Token of the session, if that authenticates',
      de: 'X-CSRF-Token der Sitzung, wenn sie anmeldet',
    })
  if (guards.has('sameSite'))
    judgement.note({
      en: 'no page of another site, with Basic',
      de: 'keine Seite einer anderen Website, mit Basic',
    })
  if (guards.has('foreignPage'))
    judgement.note({ en: 'no page of another origin', de: 'keine Seite eines anderen Ursprungs' })
  if (config.reauthentication === 'mfa')
    judgement.note({ en: 'a login with two factors', de: 'eine Anmeldung mit zwei Faktoren' })
  if (config.reauthentication === 'always' || config.reauthentication === 'mfa') {
    judgement.note({
      en: 'a login within REAUTHENTICATE_SECONDS',
      de: 'eine Anmeldung innerhalb von REAUTHENTICATE_SECONDS',
    })
  }
  if (config.reauthentication === 'conditional') {
    judgement.note({
      en: 'a login within REAUTHENTICATE_SECONDS, for some changes',
      de: 'eine Anmeldung innerhalb von REAUTHENTICATE_SECONDS, bei manchen Änderungen',
    })
  }
  if (config.requestHeaders?.includes('if-match')) {
    judgement.note({
      en: 'the present version of the resource, if If-Match is sent',
      de: 'die jetzige Fassung der Ressource, wenn If-Match gesendet wird',
    })
  }
}

async function askResource(
  judgement: Judgement,
  { params }: MatchedRoute,
  { access, resource: loader }: RouteDeclaration,
  principal: Principal,
): Promise<void> {
  if (!loader || !access) return
  const thing = await loader.load(params[loader.param] ?? '')
  if (needsResource(access.rule) && loader.facts) {
    const facts = await loader.facts(thing, access.rule)
    const isAllowed = decide(access.rule, principal, facts) === true
    const reason = isAllowed ? null : reasonOfDenial(access.rule, principal, facts)
    judgement.add(
      { en: 'the rule for this resource', de: 'die Regel für diese Ressource' },
      reason,
      'accessDenied',
    )
  }
  const absent = thing === null ? resourceAbsent(loader) : null
  judgement.add(
    { en: 'the resource exists', de: 'die Ressource ist vorhanden' },
    absent?.reason ?? null,
    loader.missing,
  )
}

function principalOf(account: Account, { config }: Pick<JudgeRouteDeps, 'config'>): Principal {
  return {
    subject: String(account.userId),
    username: account.username,
    roles: new Set(rolesAmong(account.roles, config.roles)),
    credential: { scheme: 'basic' },
    amr: [],
    authTime: Number.POSITIVE_INFINITY,
  }
}

/** Such a route serves only unknown paths of its group. */
function isGroupFallback(url: string): boolean {
  return groups.some(({ prefix }) => url === prefix || url === `${prefix}/*`)
}
