import type { JwkSet, RsaAlgorithm } from './types.ts'

const rs256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
const maxBytes = 65_536
const freshMs = 300_000 // as Cache-Control of the key set says
const keptMs = 86_400_000 // while the service is away
const pauseMs = 10_000

/** Reads JSON of at most 64 KiB. A redirect is no answer. @throws Error for anything else */
export async function readJson(url: URL, request: RequestInit = {}) {
  const signal = AbortSignal.timeout(3000)
  const { body, status } = await fetch(url, { ...request, redirect: 'manual', signal })
  let [text, bytes] = ['', 0]
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (status !== 200 || bytes > maxBytes) break // which ends the connection
    text += decoder.decode(chunk, { stream: true })
  }
  if (status === 200 && bytes <= maxBytes) return JSON.parse(text + decoder.decode())
  throw new Error(`${url} answers ${status}, ${bytes} bytes`)
}

/**
 * Finds public keys by id. The key set is read again after 5 minutes and for an unknown id, then no
 * sooner than after 10 seconds. @throws Error if the service is away and the key set lacks the id
 */
export function createKeys(read: () => Promise<unknown>) {
  let keys = new Map<string, CryptoKey>()
  let [readAt, failedAt, missedAt] = [-Infinity, -Infinity, -Infinity]
  let failure: unknown = null
  let reading: Promise<void> | null = null

  async function readKeys(): Promise<void> {
    try {
      keys = await keysOf(await read())
      ;[readAt, failure] = [Date.now(), null]
    } catch (error) {
      ;[failedAt, failure] = [Date.now(), error]
    }
    reading = null
  }

  // A clock that was put back makes all of them old.
  const isSince = (at: number, ms: number) => Date.now() < at || Date.now() - at >= ms

  return async (kid: string): Promise<CryptoKey | undefined> => {
    const isMissed = !keys.has(kid) && isSince(missedAt, pauseMs)
    const isOld = isSince(readAt, freshMs) && isSince(failedAt, pauseMs)
    if (isMissed || isOld || readAt === -Infinity) reading ??= readKeys()
    if (isMissed && readAt > 0) missedAt = Date.now()
    if (reading && (isOld || !keys.has(kid))) await reading
    const key = isSince(readAt, keptMs) ? undefined : keys.get(kid)
    if (!key && failure) throw failure
    return key
  }
}

async function keysOf(set: unknown): Promise<Map<string, CryptoKey>> {
  const found = new Map<string, CryptoKey>()
  for (const { alg, e, kid, kty, n, use } of (set as JwkSet).keys) {
    if (kty !== 'RSA' || alg !== 'RS256' || use !== 'sig' || typeof kid !== 'string') continue
    const key = await crypto.subtle.importKey('jwk', { kty, n, e }, rs256, false, ['verify'])
    if ((key.algorithm as RsaAlgorithm).modulusLength >= 2048) found.set(kid, key)
  }
  return found
}
