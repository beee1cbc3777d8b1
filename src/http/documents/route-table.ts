import type { FastifyInstance } from 'fastify'
import { inColumns } from '../../kernel/text.ts'
import { type Caller, callers, verdicts } from '../../policy/matrix.ts'
import { describeRule } from '../../policy/rules.ts'
import { csrfGuardsOf, type RouteDeclaration } from '../routes/declaration.ts'
import type { BodyKind } from '../server/bodies.ts'

export interface RouteRow extends Guards {
  readonly method: string
  readonly url: string
  readonly schemes: string
  readonly rule: string
  readonly body: BodyKind
  /** The most bytes of it; absent where it reads none. */
  readonly maxBodyBytes?: number
  /** What each caller gets for a right request: `200`, `403`, `200/403` where it depends on the thing. */
  readonly statuses: Readonly<Record<Caller, string>>
}

/** What a route declares beside access and body; absent where it declares nothing of a kind. */
interface Guards {
  /** What a change must show that a page of elsewhere could make a browser send. */
  readonly csrf?: string
  readonly reauthentication?: string
  /** Whether an enrolment token opens it. */
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

/** Collects every route that is declared from here on; the answer reads them later. */
export function collectRoutes(app: FastifyInstance): () => RouteRow[] {
  const rows: RouteRow[] = []
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    const access = config?.access
    if (!access || method === 'HEAD') return // HEAD routes are copies of their GET
    const schemes = (config.accepted ?? []).map(({ scheme }) => scheme)
    const success = Array.isArray(method) ? '404' : successOf(schema?.response)
    rows.push({
      method: Array.isArray(method) ? '*' : method,
      url,
      schemes: access.rule.kind === 'anyone' ? '-' : schemes.join(','),
      rule: describeRule(access.rule),
      ...guardsOf([method].flat(), config),
      ...bodyOf(config),
      statuses: eachCaller((caller) =>
        verdicts(access.rule, caller)
          .map((verdict) => (verdict === 'admitted' ? success : verdict))
          .join('/'),
      ),
    })
  })
  return () => rows
}

/** docs/routes.txt: what guards each route; a change of policy shows there. */
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
  return inColumns([['METHOD', 'PATH', 'SCHEMES', 'BODY', ...titles, 'RULE'], ...table])
}

/** docs/access.txt: what every route answers to every caller, as the policy has it. Spec 4.3. */
export function describeAccess(rows: readonly RouteRow[]): string {
  const table = sorted(rows).map(({ method, url, statuses }) => [
    method,
    url,
    ...callers.map((caller) => statuses[caller]),
  ])
  return inColumns([['METHOD', 'PATH', ...callers], ...table])
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

/** `json 16384`; a dash for none. */
function describeBody({ body, maxBodyBytes }: RouteRow): string {
  return body === 'none' ? '-' : [body, maxBodyBytes].join(' ').trimEnd()
}

/** The status of success that a route declares. */
function successOf(response: unknown): string {
  const statuses = Object.keys(response ?? {})
  return statuses.find((status) => /^[23]/.test(status)) ?? '200'
}

function eachCaller(statusOf: (caller: Caller) => string): RouteRow['statuses'] {
  return {
    nobody: statusOf('nobody'),
    USER: statusOf('USER'),
    EDITOR: statusOf('EDITOR'),
    ADMIN: statusOf('ADMIN'),
    owner: statusOf('owner'),
  }
}

function sorted(rows: readonly RouteRow[]): RouteRow[] {
  return rows.toSorted((a, b) => compare(a.url, b.url) || compare(a.method, b.method))
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
