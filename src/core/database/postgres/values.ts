import { bindable } from '../bindable.ts'

// https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat
const numbers = new Set([20, 21, 23, 700, 701, 1700]) // int8 int2 int4 float4 float8 numeric
const bool = 16
const bytea = 17

/** Undefined for types that stay text. Values match SQLite's. */
export function parserOf(oid: number): ((text: string) => unknown) | undefined {
  if (numbers.has(oid)) return Number
  if (oid === bool) return (text) => (text === 't' ? 1 : 0)
  if (oid === bytea) return (text) => Buffer.from(text.slice(2), 'hex')
  return undefined
}

/** Text, or the bytes of a `bytea`. */
export type Encoded = string | Buffer | null

/** @throws TypeError */
export function encoded(value: unknown): Encoded {
  if (typeof value === 'string' || value === null) return value
  if (Array.isArray(value)) return `{${value.map(quoted).join()}}`
  const given = bindable(value)
  if (given instanceof Uint8Array) {
    return Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  }
  return String(given)
}

/** https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function quoted(element: unknown): string {
  if (typeof element === 'boolean') return String(element)
  const text = encoded(element)
  if (text === null) return 'null'
  if (typeof text !== 'string') throw new TypeError('an array of bytes cannot be bound')
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
