import type { ChangeFeed } from '../../database/database.ts'

export interface TogetherDeps {
  readonly feed: Pick<ChangeFeed, 'together'>
}

/**
 * Makes a function that serves a request in the present turn of the event loop, after the requests
 * of all connections that this turn reads have arrived: together they read the versions of the
 * database once. Each of them is judged by versions that were read after it had arrived, which
 * versions read before, or kept for a time, would not be.
 */
export function together({ feed }: TogetherDeps): (serve: () => void) => void {
  const arrived: (() => void)[] = []

  function serveArrived(): void {
    try {
      feed.together(() => {
        for (let serve = arrived.shift(); serve; serve = arrived.shift()) serve()
      })
    } finally {
      if (arrived.length > 0) setImmediate(serveArrived) // an error ends no other request
    }
  }

  return (serve) => {
    if (arrived.length === 0) setImmediate(serveArrived)
    arrived.push(serve)
  }
}
