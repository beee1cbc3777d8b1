import { Secret } from '../crypto/secret.ts'

export type ToThread =
  | { readonly kind: 'call'; readonly request: unknown }
  | { readonly kind: 'noted' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'close' }

export type FromThread<Reply, Note> =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'note'; readonly note: Note }
  | {
      readonly kind: 'failed'
      readonly type: string
      readonly message: string
      readonly code: string | undefined
    }

const secretField = ' secret'

/** Messages cannot contain a `Secret`. */
export function serialize(value: unknown): unknown {
  if (value instanceof Secret) return { [secretField]: value.reveal() }
  // Copies: the whole underlying buffer would be sent.
  if (value instanceof Uint8Array) return Uint8Array.from(value)
  return ofFields(value, serialize)
}

export function deserialize(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && secretField in value) {
    return new Secret(String(value[secretField]))
  }
  return ofFields(value, deserialize)
}

function ofFields(value: unknown, convert: (field: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(convert)
  if (typeof value !== 'object' || value === null) return value
  if (Object.getPrototypeOf(value) !== Object.prototype) return value // a Map, for example
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, convert(field)]))
}
