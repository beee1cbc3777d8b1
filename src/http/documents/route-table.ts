import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import type { Role } from '../../kernel/principal.ts'
import { inColumns } from '../../kernel/text.ts'
import { type Caller, callersOf, verdicts } from '../../policy/matrix.ts'
import { describeRule } from '../../policy/rules.ts'
import { accepts } from '../routes/access.ts'
import type { BodyKind } from '../server/bodies.ts'

export interface RouteRow {
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

/** Collects every route that is declared from here on; the answer reads them later. */
export function collectRoutes(app: FastifyInstance, roles: readonly Role[]): () => RouteRow[] {
  const callers = callersOf(roles)
  const rows: RouteRow[] = []
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    const access = config?.access
    if (!access || method === 'HEAD') return // HEAD routes are copies of their GET
    const schemes = (['basic', 'session', 'bearer'] as const).filter((name) =>
      accepts(access, name),
    )
    const success = Array.isArray(method) ? '404' : successOf(schema?.response)
    rows.push({
      method: Array.isArray(method) ? '*' : method,
      url,
      schemes: access.rule.kind === 'anyone' ? '-' : schemes.join(','),
      rule: describeRule(access.rule),
      ...bodyOf(config),
      // one for each caller
      statuses: Object.fromEntries(
        callers.map((caller) => [
          caller,
          verdicts(access.rule, caller)
            .map((verdict) => (verdict === 'admitted' ? success : verdict))
            .join('/'),
        ]),
      ) as Record<Caller, string>,
    })
  })
  return () => rows
}

/** docs/routes.txt: method, path, schemes, rule, body; a change of policy shows there. */
export function describeRoutes(rows: readonly RouteRow[]): string {
  const table = sorted(rows).map((row) => [
    row.method,
    row.url,
    row.schemes,
    describeBody(row),
    row.rule,
  ])
  return inColumns([['METHOD', 'PATH', 'SCHEMES', 'BODY', 'RULE'], ...table])
}

/** docs/access.txt: what every route answers to every caller, as the policy has it. Spec 4.3. */
export function describeAccess(rows: readonly RouteRow[]): string {
  const callers = Object.keys(rows[0]?.statuses ?? {}) as Caller[] // its own keys
  const table = sorted(rows).map(({ method, url, statuses }) => [
    method,
    url,
    ...callers.map((caller) => statuses[caller] ?? ''),
  ])
  return inColumns([['METHOD', 'PATH', ...callers], ...table])
}

function bodyOf({
  body = 'none',
  maxBodyBytes,
}: FastifyContextConfig): Pick<RouteRow, 'body' | 'maxBodyBytes'> {
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

function sorted(rows: readonly RouteRow[]): RouteRow[] {
  return rows.toSorted((a, b) => compare(a.url, b.url) || compare(a.method, b.method))
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
