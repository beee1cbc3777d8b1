/**
 * Drivers silently convert some values to text or NULL, and node:sqlite reads a leading Date as
 * named parameters.
 * @throws TypeError
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
