import { Resolver, lookup as systemLookup } from 'node:dns/promises'

/** Answers the addresses of a host name, in no order; rejects if it has none. */
export type Lookup = (host: string, signal: AbortSignal) => Promise<readonly string[]>

// Of one server; the request has a limit in all.
const timeoutMs = 2000
const tries = 2

let last: Promise<unknown> = Promise.resolve()

/**
 * Asks the name servers, and then, for a name that they do not have, the system with its hosts file
 * and search domains. The system's way takes a thread of those that compute password hashes, for as
 * long as a name server is silent: so it comes second, and one at a time.
 */
export const lookUpName: Lookup = async (host, signal) => {
  const found = await askNameServers(host, signal)
  if (found.length > 0) return found
  const turn = last.then(async () => {
    signal.throwIfAborted()
    return await systemLookup(host, { all: true })
  })
  last = turn.catch(() => {})
  return (await turn).map(({ address }) => address)
}

/** Both families; none if the name has no address. A server that does not answer is an error. */
async function askNameServers(host: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: timeoutMs, tries }) // a new one reads the servers anew
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    const both = [resolver.resolve4(host), resolver.resolve6(host)]
    const answers = await Promise.allSettled(both)
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const silent = answers.find(
      (answer) => answer.status === 'rejected' && isSilence(answer.reason),
    )
    if (found.length === 0 && silent) throw new Error('the name servers do not answer')
    return found
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

function isSilence(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ETIMEOUT' || code === 'ECANCELLED'
}
