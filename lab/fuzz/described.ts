/**
 * A request as data: a slot names a live value (an id, a token, a password), so that a fresh
 * service can get the same request.
 */
export interface Described {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly caller: Caller
  readonly scheme: Scheme
  readonly params: Readonly<Record<string, Value>>
  readonly isEncoded: boolean
  readonly query: readonly (readonly [string, Value])[]
  readonly headers: readonly (readonly [string, Value])[]
  readonly body: DescribedBody | null
  readonly changes: readonly Change[]
  /** How the bytes are sent, by the name of a row of `twists`. */
  readonly twist: string
  /** Whether it is given to the server without a socket, where that can be. */
  readonly isInjected: boolean
  /** The last two bytes of the address that it seems to come from. */
  readonly from: number
}

export const callers = ['anonymous', 'USER', 'EDITOR', 'ADMIN'] as const
export type Caller = (typeof callers)[number]
export const schemes = ['bearer', 'session', 'basic'] as const
export type Scheme = (typeof schemes)[number]

/** JSON, with slots in it. */
export type Value = unknown

export interface Slot {
  readonly slot: string
  readonly pick: number
}

export function slot(name: string, pick: number): Slot {
  return { slot: name, pick }
}

export function isSlot(value: unknown): value is Slot {
  return typeof value === 'object' && value !== null && 'slot' in value && 'pick' in value
}

export interface DescribedBody {
  readonly mediaType: string
  /** Written as the media type says. */
  readonly value?: Value
  /** Sent as it is: UTF-8. */
  readonly text?: string
  /** Sent as it is: base64. */
  readonly bytes?: string
}

/** One change of a value: at the place `at` of all its places, modulo their count. */
export interface Change {
  readonly at: number
  readonly how: 'replace' | 'remove' | 'add'
  readonly name: string
  readonly to: unknown
}

/** Applies changes to a copy of a value. */
export function changed(value: Value, changes: readonly Change[]): Value {
  return changes.reduce<Value>((current, change) => {
    const places = placesOf(current)
    return changedAt(current, places[change.at % places.length] ?? [], change)
  }, value)
}

type Place = readonly (string | number)[]

function placesOf(value: Value): Place[] {
  if (isSlot(value) || typeof value !== 'object' || value === null) return [[]]
  const inner = Object.entries(value).flatMap(([name, part]) =>
    placesOf(part).map((place) => [name, ...place]),
  )
  return [...inner, []]
}

function changedAt(value: Value, [name, ...rest]: Place, change: Change): Value {
  const { how, to } = change
  if (name === undefined) return how === 'add' ? added(value, change) : to
  const copy: Record<string, Value> | Value[] = Array.isArray(value)
    ? [...value]
    : { ...(value as object) }
  const within = copy as Record<string, Value>
  if (how === 'remove' && rest.length === 0) delete within[name]
  else within[name] = changedAt(within[name], rest, change)
  return Array.isArray(copy) ? copy.filter((_, at) => at in copy) : copy
}

function added(value: Value, { name, to }: Change): Value {
  if (Array.isArray(value)) return [...value, to]
  if (isSlot(value) || typeof value !== 'object' || value === null) return to
  // A name as of a parser: `__proto__` becomes a property and no prototype.
  return Object.fromEntries([...Object.entries(value), [name, to]])
}
