import type { FastifyInstance } from 'fastify'
import { describeRule } from '../policy/rules.ts'
import { accepts } from './access.ts'

export interface RouteRow {
  readonly method: string
  readonly url: string
  readonly schemes: string
  readonly rule: string
}

/** Collects every route that is declared from here on; the answer reads them later. */
export function collectRoutes(app: FastifyInstance): () => RouteRow[] {
  const rows: RouteRow[] = []
  app.addHook('onRoute', ({ method, url, config }) => {
    const access = config?.access
    if (!access || method === 'HEAD') return // HEAD routes are copies of their GET
    const schemes = (['basic', 'session', 'bearer'] as const).filter((name) =>
      accepts(access, name),
    )
    rows.push({
      method: Array.isArray(method) ? '*' : method,
      url,
      schemes: access.rule.kind === 'anyone' ? '-' : schemes.join(','),
      rule: describeRule(access.rule),
    })
  })
  return () => rows
}

/** docs/routes.txt: method, path, schemes, rule; a change of policy is a visible difference there. */
export function describeRoutes(rows: readonly RouteRow[]): string {
  const sorted = rows.toSorted((a, b) => compare(a.url, b.url) || compare(a.method, b.method))
  const table = [{ method: 'METHOD', url: 'PATH', schemes: 'SCHEMES', rule: 'RULE' }, ...sorted]
  const width = (field: keyof RouteRow) => Math.max(...table.map((row) => row[field].length))
  const [method, url, schemes] = [width('method'), width('url'), width('schemes')]
  return table
    .map(
      (row) =>
        `${row.method.padEnd(method)}  ${row.url.padEnd(url)}  ${row.schemes.padEnd(schemes)}  ${row.rule}\n`,
    )
    .join('')
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
