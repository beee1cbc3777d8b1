import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { contentTypes } from '../../core/http/media-types.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { authorizationUrl, exchangeCode } from './code-grant.ts'
import type { FlowSecrets } from './oauth2-grant.ts'
import { deadline, type Provider } from './provider.ts'

export interface LoopbackLogin {
  readonly address: string
  /** @throws ApiError; Error on timeout */
  readonly tokens: Promise<{
    readonly accessToken: string
    readonly refreshToken: string | null
    readonly claims: Readonly<Record<string, unknown>>
  }>
}

const host = '127.0.0.1'

/**
 * PKCE with a redirect to a loopback port. RFC 8252 section 7.3. `http://127.0.0.1:<port>/callback`
 * must be registered at the provider.
 */
export async function loopbackLogin(
  provider: Provider,
  { clock, port, timeoutSeconds }: { clock: Clock; port: number; timeoutSeconds: number },
): Promise<LoopbackLogin> {
  const client = await provider.client(deadline())
  const { library } = client
  const secrets: FlowSecrets = {
    state: library.randomState(),
    nonce: library.randomNonce(),
    verifier: library.randomPKCECodeVerifier(),
  }
  const came = Promise.withResolvers<URL>()
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '', base)
    const isOurs = url?.pathname === '/callback' && url.searchParams.get('state') === secrets.state
    response.writeHead(isOurs ? 200 : 404, {
      'content-type': contentTypes.html,
      connection: 'close',
    })
    response.end(
      isOurs ? '<!doctype html><title>Gatehouse</title><p>Go back to the command line.</p>' : '',
    )
    if (url && isOurs) came.resolve(url)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const base = `http://${host}:${(server.address() as AddressInfo).port}`
  const address = await authorizationUrl(provider, client, secrets, {
    redirectUri: `${base}/callback`,
  }).catch((error: unknown) => {
    server.close()
    throw error
  })
  return { address: address.href, tokens: finish() }

  async function finish() {
    const patience = new AbortController()
    void clock.wait(timeoutSeconds * 1000, patience.signal).then(() => {
      came.reject(new Error(`no sign-in within ${timeoutSeconds} seconds`))
    })
    try {
      const url = await came.promise
      const limit = deadline() // starts here: the user may take longer
      const asked = await provider.client(limit)
      const { tokens, claims } = await exchangeCode(provider, {
        client: asked,
        url,
        secrets,
        limit,
      })
      return {
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token ?? null,
        claims: { ...claims },
      }
    } finally {
      patience.abort()
      server.close()
    }
  }
}
