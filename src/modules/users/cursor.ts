import { refuseField } from '../../core/errors.ts'
import { isStorableText } from '../../core/lib/text.ts'
import type { Order, Position } from './lists.ts'

/** The start of a page of users v2: the position before it, and the number of the page. */
export interface Cursor {
  readonly page: number
  readonly after: Position
}

/** Encodes a cursor as opaque text for `next`. It holds only what the page before has shown. */
export function writeCursor({ page, after }: Cursor, order: Order): string {
  const fields = [page, nameOf(order), after.value, after.id]
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

/** Decodes a cursor. @throws ApiError validationFailed if the text is no cursor of this order */
export function readCursor(text: string, order: Order): Cursor {
  const [page, sort, value, id, ...rest] = parseFields(text)
  const isIntact =
    isPositive(page) &&
    isPositive(id) &&
    typeof value === 'string' &&
    isStorableText(value) &&
    rest.length === 0
  if (!isIntact) return refuseField(['cursor'], 'must be the `next` of a page')
  if (sort !== nameOf(order)) return refuseField(['cursor'], 'belongs to another `sort`')
  return { page: Number(page), after: { value, id: Number(id) } }
}

function parseFields(text: string): unknown[] {
  try {
    const fields: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(fields) ? fields : []
  } catch {
    return []
  }
}

function isPositive(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1
}

function nameOf({ key, descending }: Order): string {
  return descending ? `-${key}` : key
}
