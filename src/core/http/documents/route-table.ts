import { inColumns } from '../../lib/text.ts'
import { describeRule } from '../../policy/rules.ts'
import type { BodyKind } from '../bodies/bodies.ts'
import { csrfGuardsOf, type RouteDeclaration } from '../routes/declaration.ts'
import type { Declared } from './declared-routes.ts'
import { type Caller, callersOf, verdicts } from './matrix.ts'

export interface RouteRow extends Guards {
  readonly method: string
  readonly url: string
  readonly schemes: string
  readonly rule: string
  readonly body: BodyKind
  /** The longest accepted body in bytes; absent if the route reads none. */
  readonly maxBodyBytes?: number
  /** The status of a valid request by caller: `200`, or `200/403` if the resource decides. */
  readonly statuses: Readonly<Record<Caller, string>>
}

/** The declarations of a route besides access and body; absent if it declares none of a kind. */
interface Guards {
  /** The CSRF protection of a change. */
  readonly csrf?: string
  readonly reauthentication?: string
  /** Whether the route accepts an enrolment token. */
  readonly enrolment?: string
  readonly rateLimit?: string
  readonly requestHeaders?: string
}

const guardColumns = {
  csrf: 'CSRF',
  reauthentication: 'REAUTHENTICATION',
  enrolment: 'ENROLMENT',
  rateLimit: 'RATE LIMIT',
  requestHeaders: 'HEADERS',
} as const satisfies Record<keyof Guards, string>
const guardNames = Object.keys(guardColumns) as (keyof Guards)[] // its own keys

/** Lists every route of the modules. */
export function routeRows({ routes, config: { roles } }: Declared): RouteRow[] {
  const callers = callersOf(roles)
  return routes.flatMap(({ method, url, config, schema }) => {
    const access = config?.access
    if (!access) return []
    const schemes = (config.accepted ?? []).map(({ scheme }) => scheme)
    // The routes of all methods answer for paths that are unknown, but for those that say otherwise.
    const success =
      Array.isArray(method) && !config.answers
        ? '404'
        : successOf({ ...(schema?.response as object | undefined), ...config.answers })
    const row: RouteRow = {
      method: Array.isArray(method) ? '*' : method,
      url,
      schemes: access.rule.kind === 'anyone' ? '-' : schemes.join(','),
      rule: describeRule(access.rule),
      ...guardsOf([method].flat(), config),
      ...bodyOf(config),
      // one for each caller
      statuses: Object.fromEntries(
        callers.map((caller) => [
          caller,
          verdicts(access.rule, caller, schemes)
            .map((verdict) => (verdict === 'admitted' ? success : verdict))
            .join('/'),
        ]),
      ) as Record<Caller, string>,
    }
    return [row]
  })
}

/** Of the columns with names of paths, schemes and headers: a new name changes one line of the documents, and not all of them. */
const fixedWidths = { routes: { 1: 44, 2: 27, 8: 15 }, access: { 1: 44 } }

/** Prints docs/routes.txt, which lists the guards of each route. */
export function describeRoutes(rows: readonly RouteRow[]): string {
  const table = sorted(rows).map((row) => [
    row.method,
    row.url,
    row.schemes,
    describeBody(row),
    ...guardNames.map((name) => row[name] ?? '-'),
    row.rule,
  ])
  const titles = Object.values(guardColumns)
  return inColumns(
    [['METHOD', 'PATH', 'SCHEMES', 'BODY', ...titles, 'RULE'], ...table],
    fixedWidths.routes,
  )
}

/** Prints docs/access.txt, which lists the status of every route for every caller. Spec 4.3. */
export function describeAccess(rows: readonly RouteRow[]): string {
  const callers = Object.keys(rows[0]?.statuses ?? {}) as Caller[] // its own keys
  const table = sorted(rows).map(({ method, url, statuses }) => [
    method,
    url,
    ...callers.map((caller) => statuses[caller] ?? ''),
  ])
  return inColumns([['METHOD', 'PATH', ...callers], ...table], fixedWidths.access)
}

function guardsOf(methods: readonly string[], config: RouteDeclaration): Guards {
  const { enrols, rateLimit, reauthentication, requestHeaders = [] } = config
  const csrf = csrfGuardsOf(methods, config)
  return {
    ...(csrf.length > 0 && { csrf: csrf.join() }),
    ...(reauthentication && { reauthentication }),
    ...(enrols && { enrolment: 'yes' }),
    ...(rateLimit && { rateLimit }),
    ...(requestHeaders.length > 0 && { requestHeaders: requestHeaders.join() }),
  }
}

function bodyOf({
  body = 'none',
  maxBodyBytes,
}: RouteDeclaration): Pick<RouteRow, 'body' | 'maxBodyBytes'> {
  return body === 'none' || maxBodyBytes === undefined ? { body } : { body, maxBodyBytes }
}

/** Prints the body kind and its limit, for example `json 16384`; a dash for none. */
function describeBody({ body, maxBodyBytes }: RouteRow): string {
  return body === 'none' ? '-' : [body, maxBodyBytes].join(' ').trimEnd()
}

/** The status of success that a route declares. */
function successOf(answers: object): string {
  return Object.keys(answers).find((status) => /^[23]/.test(status)) ?? '200'
}

function sorted(rows: readonly RouteRow[]): RouteRow[] {
  return rows.toSorted((a, b) => compare(a.url, b.url) || compare(a.method, b.method))
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
