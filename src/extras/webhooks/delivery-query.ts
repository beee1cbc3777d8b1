import { refuseField } from '../../core/errors.ts'
import { refuseCursor } from '../../core/http/lists/cursor.ts'
import { among, parseFilters, time } from '../../core/http/lists/filters.ts'
import type { Query } from '../../core/http/lists/paging.ts'
import type { DeliveryFilters } from './delivery-store.ts'
import { deliveryStates } from './schemas.ts'

const filters = {
  webhook: name,
  state: among(deliveryStates),
  type: name,
  message: name,
  since: time,
  until: time,
}

/** @throws ApiError validationFailed */
export function parseDeliveryFilters(query: Query): DeliveryFilters {
  const { webhook: endpoint, ...others } = parseFilters(query, filters)
  return { endpoint, ...others }
}

function name(text: string, field: string): string {
  if (/^[\w:.-]{1,64}$/.test(text)) return text
  return refuseField([field], {
    en: 'must have 1 to 64 letters, digits and characters of _ : . -',
    de: 'muss 1 bis 64 Buchstaben, Ziffern und Zeichen aus _ : . - haben',
  })
}

export function writeDeliveryCursor(before: number): string {
  return Buffer.from(`d${before}`).toString('base64url')
}

/** @throws ApiError validationFailed */
export function readDeliveryCursor(text: string | undefined): number | null {
  if (text === undefined) return null
  const [, digits] = /^d([0-9]{1,16})$/.exec(Buffer.from(text, 'base64url').toString()) ?? []
  const before = Number(digits)
  const isIntact = Number.isSafeInteger(before) && writeDeliveryCursor(before) === text
  return isIntact ? before : refuseCursor()
}
