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
  /** What a key needs; absent: no key is admitted. */
  readonly scope?: string
  readonly body: BodyKind
  /** Absent if no body is read. */
  readonly maxBodyBytes?: number
  /** By caller: `200`, or `200/403` if the resource decides. */
  readonly statuses: Readonly<Record<Caller, string>>
}

/** Declarations besides access and body. */
interface Guards {
  readonly csrf?: string
  readonly reauthentication?: string
  /** Whether enrolment tokens are accepted. */
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
const guardNames = Object.keys(guardColumns) as (keyof Guards)[]

export function routeRows({ routes, config: { roles } }: Declared): RouteRow[] {
  const callers = callersOf(roles)
  return routes.flatMap(({ method, url, config, schema }) => {
    const access = config?.access
    if (!access) return []
    const schemes = (config.accepted ?? []).map(({ scheme }) => scheme)
    // Catch-all routes answer 404 unless declared otherwise.
    const success =
      Array.isArray(method) && !config.answers
        ? '404'
        : successOf({ ...(schema?.response as object | undefined), ...config.answers })
    const row: RouteRow = {
      method: Array.isArray(method) ? '*' : method,
      url,
      schemes: access.rule.kind === 'anyone' ? '-' : schemes.join(','),
      rule: describeRule(access.rule),
      ...(config.scope && access.rule.kind !== 'anyone' && { scope: config.scope }),
      ...guardsOf([method].flat(), config),
      ...bodyOf(config),
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

/** Fixed, so that a new name changes only one line of the documents. */
const fixedWidths = { routes: { 1: 45, 2: 27, 8: 15 }, access: { 1: 45, 2: 14 } }

/** docs/routes.txt: the guards of each route. */
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

/** docs/access.txt: the scope of keys, and the status by caller. Spec 4.3. */
export function describeAccess(rows: readonly RouteRow[]): string {
  const callers = Object.keys(rows[0]?.statuses ?? {}) as Caller[]
  const table = sorted(rows).map(({ method, url, scope = '-', statuses }) => [
    method,
    url,
    scope,
    ...callers.map((caller) => statuses[caller] ?? ''),
  ])
  return inColumns([['METHOD', 'PATH', 'SCOPE', ...callers], ...table], fixedWidths.access)
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

/** For example `json 16384`; a dash for none. */
function describeBody({ body, maxBodyBytes }: RouteRow): string {
  return body === 'none' ? '-' : [body, maxBodyBytes].join(' ').trimEnd()
}

function successOf(answers: object): string {
  return Object.keys(answers).find((status) => /^[23]/.test(status)) ?? '200'
}

function sorted(rows: readonly RouteRow[]): RouteRow[] {
  return rows.toSorted((a, b) => compare(a.url, b.url) || compare(a.method, b.method))
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
