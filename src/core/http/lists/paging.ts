import { refuseField } from '../../errors.ts'

/** The requested page of a list. Spec 2.6, 4.2. */
export interface Page {
  /** From 1. */
  readonly page: number
  readonly limit: number
}

const defaultPage = 1
const defaultLimit = 10

export type Query = Readonly<Record<string, unknown>>

/**
 * Parses `page` and `limit` of a query. A value that is missing, zero or not a number becomes the
 * default (spec 4.2 rule 1), so no query is refused.
 * @param maxLimit the maximum limit; 0: no maximum
 */
export function parsePage(query: Query, maxLimit: number): Page {
  const limit = positiveInteger(query.limit) ?? defaultLimit
  return {
    page: positiveInteger(query.page) ?? defaultPage,
    limit: maxLimit > 0 ? Math.min(limit, maxLimit) : limit,
  }
}

/** Reads a parameter that may be sent once. @throws ApiError validationFailed if it is repeated */
export function single(query: Query, name: string): string | undefined {
  const value = query[name]
  if (value === undefined || typeof value === 'string') return value
  return refuseField([name], 'must be given once')
}

/** Whether a query has `page` or `limit`, also with invalid values. */
export function asksForPage(query: Query): boolean {
  return query.page !== undefined || query.limit !== undefined
}

/** Counts the items before a page; at most `total`, because the product can be too large. */
export function offsetOf({ page, limit }: Page, total: number): number {
  return Math.max(0, Math.min((page - 1) * limit, total))
}

/** Parses decimal digits from 1 to 2^53-1; null for other values, also with a sign or a space. */
export function positiveInteger(text: unknown): number | null {
  if (typeof text !== 'string' || !/^[0-9]+$/.test(text)) return null
  const number = Number(text)
  return number >= 1 && Number.isSafeInteger(number) ? number : null
}

/** A list that is read by page number. */
interface NumberedList<Row> {
  count(): Promise<number>
  page(offset: number, limit: number): Promise<readonly Row[]>
}

/** Reads one page by number, as its route answers it. */
export async function numberedPage<Row, Shown>(
  query: unknown, // parsed by Fastify
  maxLimit: number,
  list: NumberedList<Row>,
  show: (row: Row) => Shown,
): Promise<Page & { readonly total: number; readonly data: Shown[] }> {
  const page = parsePage(query as Query, maxLimit)
  const total = await list.count()
  const rows = await list.page(offsetOf(page, total), page.limit)
  return { ...page, total, data: rows.map((row) => show(row)) }
}
