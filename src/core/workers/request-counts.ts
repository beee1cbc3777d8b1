import { BoundedMap } from '../limits/bounded-map.ts'

/** The window starts with the first request. */
export interface Counted {
  /** Epoch milliseconds. */
  readonly endsAt: number
  /** Including the present request. */
  readonly requests: number
}

/** Beyond this limit the oldest address is dropped; 10 MB of memory. */
const maxAddresses = 50_000

export class RequestCounts {
  readonly #windows = new BoundedMap<string, { readonly endsAt: number; requests: number }>(
    maxAddresses,
  )

  /** `now`: epoch milliseconds. */
  count(address: string, windowMs: number, now: number): Counted {
    const known = this.#windows.get(address)
    const window = known && known.endsAt > now ? known : { endsAt: now + windowMs, requests: 0 }
    if (window !== known) this.#windows.set(address, window)
    window.requests += 1
    return window
  }
}
