export interface Tokens {
  readonly access_token: string
  /** Of a pair. */
  readonly refresh_token?: string
}

/** Where the tokens are kept. It is read at each request, so that tabs share what it shares. */
export interface Store {
  read(): Tokens | null | Promise<Tokens | null>
  write(tokens: Tokens | null): void | Promise<void>
  /** The same for all that share the store: they take turns by a Web Lock of this name. */
  readonly lock?: string
}

/** In the memory of this page: gone with a reload, and in no reach of other scripts. */
export function memoryStore(): Store {
  let kept: Tokens | null = null
  return {
    read: () => kept,
    write(tokens) {
      kept = tokens
    },
  }
}

interface Locks {
  request<Result>(name: string, work: () => Promise<Result>): Promise<Result>
}

/** Lets one after the other work: in this client, and in all that share the lock of the store. */
export function turnsOf({ lock }: Store): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const { navigator } = globalThis as { navigator?: { readonly locks?: Locks } }
  const locks = navigator?.locks
  if (lock !== undefined && locks) return (work) => locks.request(`gatehouse ${lock}`, work)
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work, work)
    last = done.catch(() => undefined)
    return done
  }
}
