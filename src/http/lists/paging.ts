/** Which part of a list is asked for. Spec 2.6, 4.2. */
export interface Page {
  /** From 1. */
  readonly page: number
  readonly limit: number
}

const defaultPage = 1
const defaultLimit = 10

export type Query = Readonly<Record<string, unknown>>

/**
 * `page` and `limit` of a query. What is missing, zero or no number falls back to the default
 * (spec 4.2 rule 1), so nothing here is ever refused.
 * @param most caps the limit; 0: no cap
 */
export function parsePage(query: Query, most: number): Page {
  const limit = positiveInteger(query.limit) ?? defaultLimit
  return {
    page: positiveInteger(query.page) ?? defaultPage,
    limit: most > 0 ? Math.min(limit, most) : limit,
  }
}

/** Whether a list was asked for by page at all, be it with garbage. */
export function asksForPage(query: Query): boolean {
  return query.page !== undefined || query.limit !== undefined
}

/** How many items lie before a page; no more than `total`, where the product would be too large. */
export function offsetOf({ page, limit }: Page, total: number): number {
  return Math.max(0, Math.min((page - 1) * limit, total))
}

/** Decimal digits from 1 to 2^53-1, and nothing else: no sign, no exponent, no space. */
export function positiveInteger(text: unknown): number | null {
  if (typeof text !== 'string' || !/^[0-9]+$/.test(text)) return null
  const number = Number(text)
  return number >= 1 && Number.isSafeInteger(number) ? number : null
}
