import type { ChangeFeed } from '../../database/database.ts'

export interface TogetherDeps {
  readonly feed: Pick<ChangeFeed, 'together'>
}

/**
 * Requests of one turn of the event loop share one read of the database versions, made after all
 * have arrived: earlier versions could be stale.
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
