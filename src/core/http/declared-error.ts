import type { FastifyRequest } from 'fastify'
import { ApiError, type ErrorRow, problemOf } from '../errors.ts'
import { type JsonSchema, named } from './schemas.ts'

/** An error of a route, optionally with fields besides `error`. */
export type DeclaredError = ErrorRow | ErrorWithBody

export interface ErrorWithBody {
  readonly row: ErrorRow
  readonly body: JsonSchema
}

export function rowOf(error: DeclaredError): ErrorRow {
  return typeof error === 'object' && 'row' in error ? error.row : error
}

export function errorNameOf(row: ErrorRow): string {
  return typeof row === 'string' ? row : row.name
}

/** The fields of `extra` may be optional; the OpenAPI schema is named after the error. */
export function errorWith(
  row: ErrorRow,
  properties: Readonly<Record<string, JsonSchema>>,
  example: Readonly<Record<string, unknown>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): ErrorWithBody {
  const { error } = problemOf(row)
  const name = errorNameOf(row)
  const schema = {
    type: 'object',
    required: ['error', ...Object.keys(properties)],
    properties: { error: { type: 'string', const: error }, ...properties, ...optional },
    additionalProperties: false,
  }
  return { row, body: named(capitalized(name), schema, { error, ...example }) }
}

export function capitalized(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

/** The error as reworded by the route, without our `details`. */
export function reworded(error: ApiError, { routeOptions }: FastifyRequest): ApiError {
  const { row, cause, challenge, reason, retryAfterSeconds } = error
  const word = typeof row === 'string' ? routeOptions.config.rewords?.[row] : undefined
  if (word === undefined) return error
  return new ApiError(word, {
    cause,
    challenge,
    reason,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}
