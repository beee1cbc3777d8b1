import type { Delivery } from './webhook.ts'

/** Hours back from now, as the address has them. */
export const spans = { '1h': 1, '24h': 24, '72h': 72, '720h': 720 } as const
export type Span = keyof typeof spans

export const deliveryStates = ['waiting', 'delivered', 'failed', 'cancelled'] as const

/** The filters of the list, as the address has them; what they do not know counts as absent. */
export interface DeliveryFilters {
  readonly state: Delivery['state'] | ''
  readonly span: Span | ''
  readonly type: string
  readonly cursor: string
}

export function filtersOf(fields: Readonly<Record<string, string>>): DeliveryFilters {
  const { state = '', since = '', type = '', cursor = '' } = fields
  return {
    state: deliveryStates.find((known) => known === state) ?? '',
    span: since in spans ? (since as Span) : '',
    type,
    cursor,
  }
}

/** The filters as the API takes them; `now` is in milliseconds since 1970. */
export function queryOf({ state, span, type, cursor }: DeliveryFilters, now: number) {
  return {
    ...(state !== '' && { state }),
    ...(span !== '' && { since: sinceOf(span, now) }),
    ...(type !== '' && { type }),
    ...(cursor !== '' && { cursor }),
  }
}

export function sinceOf(span: Span, now: number): string {
  return new Date(now - spans[span] * 3_600_000).toISOString()
}
