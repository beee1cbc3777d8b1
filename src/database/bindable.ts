/**
 * A parameter that has a place in a column. The drivers make text, or NULL, of some others in
 * silence: node:sqlite takes a Date that comes first for named parameters. @throws TypeError
 */
export function bindable(value: unknown): number | string | bigint | Uint8Array | null {
  switch (typeof value) {
    case 'number':
      if (Number.isNaN(value)) throw new TypeError('NaN would be stored as NULL')
      return value
    case 'string':
    case 'bigint':
      return value
  }
  if (value === null || value instanceof Uint8Array) return value
  throw new TypeError(`a parameter of type ${typeof value} cannot be bound`)
}
