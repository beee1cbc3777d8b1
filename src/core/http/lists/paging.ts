import { refuseField } from '../../errors.ts'

/** Spec 2.6, 4.2. */
export interface Page {
  /** Starts at 1. */
  readonly page: number
  readonly limit: number
}

const defaultPage = 1
const defaultLimit = 10

export type Query = Readonly<Record<string, unknown>>

/**
 * Missing, zero and invalid values become the default (spec 4.2 rule 1).
 * @param maxLimit 0: no maximum
 */
export function parsePage(query: Query, maxLimit: number): Page {
  const limit = positiveInteger(query.limit) ?? defaultLimit
  return {
    page: positiveInteger(query.page) ?? defaultPage,
    limit: maxLimit > 0 ? Math.min(limit, maxLimit) : limit,
  }
}

/** @throws ApiError validationFailed if repeated */
export function single(query: Query, name: string): string | undefined {
  const value = query[name]
  if (value === undefined || typeof value === 'string') return value
  return refuseField([name], { en: 'must be given once', de: 'darf nur einmal angegeben sein' })
}

/** Invalid values count too. */
export function asksForPage(query: Query): boolean {
  return query.page !== undefined || query.limit !== undefined
}

/** At most `total`, because the product can overflow. */
export function offsetOf({ page, limit }: Page, total: number): number {
  return Math.max(0, Math.min((page - 1) * limit, total))
}

/** Decimal digits, 1 to 2^53-1; null for anything else, such as signs or spaces. */
export function positiveInteger(text: unknown): number | null {
  if (typeof text !== 'string' || !/^[0-9]+$/.test(text)) return null
  const number = Number(text)
  return number >= 1 && Number.isSafeInteger(number) ? number : null
}

interface NumberedList<Row> {
  count(): Promise<number>
  page(offset: number, limit: number): Promise<readonly Row[]>
}

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
