import type { FastifyRequest } from 'fastify'
import { ApiError, type Detail } from '../../errors.ts'

type Body = Readonly<Record<string, unknown>>

/** Checks that a schema cannot express, by field; each throws validationFailed. */
export type FieldChecks = Readonly<Record<string, (body: Body) => unknown>>

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Also checks the valid fields of a body that violates its schema, so that one response lists
     * all faults.
     */
    checks?: FieldChecks
  }
}

/**
 * Reports all faults, for each field only the first.
 * @throws ApiError validationFailed; any other error of a check
 */
export function checkAll(checks: readonly (() => unknown)[], known: readonly Detail[] = []): void {
  const errors = checks.flatMap((check) => refusalOf(check) ?? [])
  const [only, ...others] = errors
  if (!only && known.length === 0) return
  if (only && others.length === 0 && known.length === 0) throw only
  const refused = new Set(known.map(fieldOf))
  const details = [...known]
  for (const { details: found = [] } of errors) {
    details.push(...found.filter((detail) => !refused.has(fieldOf(detail))))
    for (const detail of found) refused.add(fieldOf(detail))
  }
  const facts = { fields: details.map(({ path }) => path.join('.')) }
  throw new ApiError('validationFailed', { details, reason: { code: 'schema_violated', facts } })
}

/** @throws ApiError validationFailed with all faults */
export function assertNoFaults({ body, routeOptions }: FastifyRequest): void {
  const checks = Object.values(routeOptions.config.checks ?? {})
  checkAll(checks.map((check) => () => check(body as Body))) // an object, by schema
}

/** Adds the faults of the other fields to the faults of the schema. */
export function allFaults({ body, routeOptions }: FastifyRequest, known: Detail[]): Detail[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return known
  const refused = new Set(known.map(fieldOf))
  const checks = Object.entries(routeOptions.config.checks ?? {})
    .filter(([field]) => !refused.has(field))
    .map(
      ([, check]) =>
        () =>
          check(body as Body),
    )
  const refusal = refusalOf(() => checkAll(checks, known))
  return refusal ? [...(refusal.details ?? [])] : known
}

function refusalOf(check: () => unknown): ApiError | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError) || !error.details) throw error
    return error
  }
}

function fieldOf({ path }: Detail): string | undefined {
  return path[0]
}
