import type { ChangeFeed } from '../../database/database.ts'

export interface TogetherDeps {
  readonly feed: Pick<ChangeFeed, 'together'>
}

/**
 * Serves requests of one turn of the event loop together, so that they share one read of the
 * database versions. The read happens after all have arrived: earlier or cached versions could be
 * stale.
 */
export function together({ feed }: TogetherDeps): (serve: () => void) => void {
  const arrived: (() => void)[] = []

  function serveArrived(): void {
    try {
      feed.together(() => {
        for (let serve = arrived.shift(); serve; serve = arrived.shift()) serve()
      })
    } finally {
      if (arrived.length > 0) setImmediate(serveArrived) // an error affects no other request
    }
  }

  return (serve) => {
    if (arrived.length === 0) setImmediate(serveArrived)
    arrived.push(serve)
  }
}
