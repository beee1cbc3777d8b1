import type { Credentials } from './credentials.ts'
import { bodyOf, errorOf, GatehouseError } from './problem.ts'
import { isFor, requestTo, type Service } from './service.ts'
import { type Store, type Tokens, turnsOf } from './stores.ts'

const endedToken = new Set<unknown>(['Invalid token', 'Invalid or expired token'])

/** An access token, or a pair, whose access token is renewed by one refresh at a time. */
export function tokenCredentials(service: Service, store: Store): Credentials {
  const inTurn = turnsOf(store)
  let refreshing: Promise<void> | null = null

  /** Renews the pair, unless another tab has renewed it meanwhile. */
  async function refresh(sent: string): Promise<void> {
    const kept = await store.read()
    if (!kept?.refresh_token || kept.access_token !== sent) return
    const { refresh_token } = kept
    const request = requestTo(service, 'POST', '/refresh', { body: { refresh_token } })
    const response = await service.fetch(request)
    const body = await bodyOf(response)
    if (response.status === 401) await store.write(null) // the pair has ended
    if (!response.ok) throw new GatehouseError(response, body)
    // With REFRESH_ROTATION=on there is a new refresh token, and the old one counts no more.
    await store.write({ refresh_token, ...tokensOf(body) })
  }

  return {
    async sign(request) {
      const kept = await store.read()
      if (kept) request.headers.set('authorization', `Bearer ${kept.access_token}`)
      return kept?.access_token ?? null
    },
    async renew(request, refused, sent) {
      if (refused.status !== 401 || sent === null) return false
      if (isFor(service, request) && !endedToken.has(await errorOf(refused))) return false
      refreshing ??= inTurn(() => refresh(sent)).finally(() => {
        refreshing = null
      })
      await refreshing
      const kept = await store.read()
      return kept !== null && kept.access_token !== sent
    },
    async keep(login) {
      await inTurn(async () => store.write(tokensOf(login)))
    },
    isSignedIn: async () => (await store.read()) !== null,
    signOut: () =>
      inTurn(async () => {
        const kept = await store.read()
        await store.write(null)
        if (!kept) return
        const { access_token, refresh_token } = kept
        const body = refresh_token ? { refresh_token } : {}
        const request = requestTo(service, 'POST', '/logout', { body })
        request.headers.set('authorization', `Bearer ${access_token}`)
        const response = await service.fetch(request)
        if (!response.ok) throw new GatehouseError(response, await bodyOf(response))
      }),
  }
}

/** Of an answer of `POST /login` or `POST /refresh`. */
function tokensOf(body: unknown): Tokens {
  const { token, access_token = token, refresh_token } = body as Record<string, string>
  return { access_token: String(access_token), ...(refresh_token && { refresh_token }) }
}
