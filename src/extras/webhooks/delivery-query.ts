import { refuseField } from '../../core/errors.ts'
import { type Query, single } from '../../core/http/lists/paging.ts'
import { dateTimeMessage, parseDateTime } from '../../core/lib/date-time.ts'
import type { DeliveryFilters } from './delivery-store.ts'
import { deliveryStates } from './schemas.ts'

const name = /^[\w:.-]{1,64}$/

/** Parses the filters of a query, each given once at most. @throws ApiError validationFailed */
export function parseDeliveryFilters(query: Query): DeliveryFilters {
  const state = single(query, 'state')
  return {
    endpoint: parseName(query, 'webhook'),
    state: state === undefined ? undefined : parseState(state),
    type: parseName(query, 'type'),
    message: parseName(query, 'message'),
    since: parseTime('since', single(query, 'since')),
    until: parseTime('until', single(query, 'until')),
  }
}

/** A time in a field, in epoch milliseconds. @throws ApiError validationFailed */
export function parseTime(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return parseDateTime(text) ?? refuseField([field], dateTimeMessage)
}

function parseName(query: Query, field: string): string | undefined {
  const text = single(query, field)
  if (text === undefined || name.test(text)) return text
  return refuseField([field], 'must have 1 to 64 letters, digits and characters of _ : . -')
}

function parseState(text: string) {
  const state = deliveryStates.find((known) => known === text)
  return state ?? refuseField(['state'], `must be one of ${deliveryStates.join(', ')}`)
}

/** Encodes the id before which a page begins as opaque text for `next`. */
export function writeDeliveryCursor(before: number): string {
  return Buffer.from(`d${before}`).toString('base64url')
}

/** Decodes a cursor. @throws ApiError validationFailed if the text is no cursor of this list */
export function readDeliveryCursor(text: string | undefined): number | null {
  if (text === undefined) return null
  const [, digits] = /^d([0-9]{1,16})$/.exec(Buffer.from(text, 'base64url').toString()) ?? []
  const before = Number(digits)
  if (digits === undefined || !Number.isSafeInteger(before) || writeDeliveryCursor(before) !== text)
    return refuseField(['cursor'], 'must be the `next` of a page')
  return before
}
