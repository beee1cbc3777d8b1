import { BoundedMap } from '../limits/bounded-map.ts'

/** The requests of an address in a window that starts with the first of them. */
export interface Counted {
  /** Epoch milliseconds. */
  readonly endsAt: number
  /** How many there were, the present one included. */
  readonly requests: number
}

/** Beyond this number the oldest address is forgotten and counts as new; 10 MB of memory. */
const maxAddresses = 50_000

/** Counts the requests of each address. */
export class RequestCounts {
  readonly #windows = new BoundedMap<string, { readonly endsAt: number; requests: number }>(
    maxAddresses,
  )

  /** Counts a request at `now`, epoch milliseconds. */
  count(address: string, windowMs: number, now: number): Counted {
    const known = this.#windows.get(address)
    const window = known && known.endsAt > now ? known : { endsAt: now + windowMs, requests: 0 }
    if (window !== known) this.#windows.set(address, window)
    window.requests += 1
    return window
  }
}
