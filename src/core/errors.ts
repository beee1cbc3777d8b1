import { type ErrorText, errorTable } from './error-table.ts'
import type { Language, Words } from './lib/languages.ts'

export type ErrorName = keyof typeof errorTable

/** An error of one module, which the table has no row for. Its manifest names it. */
export interface Problem extends ErrorText {
  readonly name: string
  /** The row of the table before which documents list the error; without it, behind all rows. */
  readonly before?: ErrorName
}

export type ErrorRow = ErrorName | Problem

/** The row that a name stands for; a module's own problem as it is. */
export function problemOf(row: ErrorRow): ErrorText {
  return typeof row === 'string' ? errorTable[row] : row
}

/** An entry of `details`: the path of a wrong field and the fault. Spec section 7. */
export interface Detail {
  readonly path: readonly string[]
  /** English, which programs compare. */
  readonly message: string
  /** The message in each language; absent where it has no translation. */
  readonly words?: Words
}

/** The entries of `details` as a language sends them. */
export function shownDetails(
  details: readonly Detail[],
  language: Language,
): { readonly path: readonly string[]; readonly message: string }[] {
  return details.map(({ message, path, words }) => ({
    path,
    message: words?.[language] ?? message,
  }))
}

/** The names of the facts of each reason; each `reasons.ts` adds its codes to it. */
// biome-ignore lint/suspicious/noEmptyInterface: each table of reasons declares its codes in it
export interface ReasonFacts {}

export type FactValue = string | number | boolean | readonly string[] | null
type Facts<Names extends string> = { readonly [Name in Names]: FactValue }

/**
 * Why a request was refused: a code of the registry with its facts, or one of a module from outside.
 * For the operator alone, never sent. A fact names no account but by its user id, and holds nothing
 * that may be a secret that was typed.
 */
export type RefusalReason =
  | {
      [Code in keyof ReasonFacts]: [ReasonFacts[Code]] extends [never]
        ? { readonly code: Code; readonly facts?: Facts<never> }
        : { readonly code: Code; readonly facts: Facts<ReasonFacts[Code] & string> }
    }[keyof ReasonFacts]
  | { readonly code: `x-${string}`; readonly facts?: Readonly<Record<string, FactValue>> }

export interface ApiErrorOptions {
  readonly reason: RefusalReason
  /** The cause for the log; never sent. */
  readonly cause?: unknown
  /** Sent as `details` beside `error`. */
  readonly details?: readonly Detail[]
  /** Further fields of the body beside `error`. */
  readonly extra?: Readonly<Record<string, unknown>>
  /** Sent as Retry-After, in whole seconds. RFC 9110 section 10.2.3. */
  readonly retryAfterSeconds?: number
  /** Sent as WWW-Authenticate. RFC 9110 section 11.6.1. */
  readonly challenge?: string | undefined
}

/** A refusal: names a row of `errorTable` or is a module's own; the error handler makes the answer from it. */
export class ApiError extends Error {
  readonly row: ErrorRow
  readonly status: number
  readonly reason: RefusalReason
  readonly details: readonly Detail[] | undefined
  readonly extra: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterSeconds: number | undefined
  readonly challenge: string | undefined

  constructor(row: ErrorRow, options: ApiErrorOptions) {
    const { error, status } = problemOf(row)
    super(error, { cause: options.cause })
    this.name = 'ApiError'
    this.row = row
    this.status = status
    this.reason = options.reason
    this.details = options.details
    this.extra = options.extra
    this.retryAfterSeconds = options.retryAfterSeconds
    this.challenge = options.challenge
  }
}

/** Refuses with a single entry of `details`. @throws ApiError validationFailed, always */
export function refuseField(path: readonly string[], words: Words): never {
  const message = words.en
  const reason = { code: 'field_refused', facts: { field: path.join('.'), message } } as const
  throw new ApiError('validationFailed', { details: [{ path, message, words }], reason })
}
