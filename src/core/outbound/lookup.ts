import { Resolver, lookup as systemLookup } from 'node:dns/promises'

/** Unordered; rejects if none. */
export type Lookup = (host: string, signal: AbortSignal) => Promise<readonly string[]>

// Per server; the request has a total limit.
const timeoutMs = 2000
const tries = 2

let last: Promise<unknown> = Promise.resolve()

/**
 * Name servers first, then the system resolver with hosts file and search domains. The system
 * resolver blocks a password-hashing thread while a name server is silent: so last, and one at a
 * time.
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

/** Both families; empty without addresses. Throws if a server does not respond. */
async function askNameServers(host: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: timeoutMs, tries }) // a new one rereads the servers
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
