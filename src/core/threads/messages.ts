import { Secret } from '../crypto/secret.ts'

/** A message to a thread. */
export type ToThread =
  | { readonly kind: 'call'; readonly request: unknown }
  /** The note was handled: the thread may continue. */
  | { readonly kind: 'noted' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'close' }

/** A message from a thread. */
export type FromThread<Reply, Note> =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'note'; readonly note: Note }
  | {
      readonly kind: 'failed'
      /** The name of the error. */
      readonly type: string
      readonly message: string
      readonly code: string | undefined
    }

const secretField = ' secret'

/** Converts a request for a message, which cannot hold a `Secret`. */
export function serialize(value: unknown): unknown {
  if (value instanceof Secret) return { [secretField]: value.reveal() }
  // A copy: the bytes of a key may be a part of a larger buffer, which would be sent as a whole.
  if (value instanceof Uint8Array) return Uint8Array.from(value)
  return ofFields(value, serialize)
}

/** Converts the message back to the request, in the thread. */
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
