import assert from 'node:assert/strict'
import type { TestApp } from '../app.ts'
import { testBrowser } from '../test-browser.ts'
import type { TypedClient } from './typed-client.ts'

/** A provider without a name of its own, and one with. */
export type Provider = 'default' | 'acme'

/** Begins a sign-in; answers the provider's address, and the answer with its cookie. */
export async function begin(
  client: TypedClient,
  provider: Provider,
): Promise<[address: string, begun: Response]> {
  const { response } =
    provider === 'default'
      ? await client.GET('/oauth/login', { params: { query: { return_to: '/' } } })
      : await client.GET('/oauth/{provider}/login', { params: { path: { provider } } })
  assert.equal(response.status, 303)
  return [response.headers.get('location') ?? '', response]
}

/** Follows the way from the provider's address back to the service, as a browser does. */
export async function comeBack(
  app: TestApp,
  client: TypedClient,
  provider: Provider,
  [address, begun]: readonly [address: string, begun: Response],
): Promise<Response> {
  const { searchParams } = await testBrowser(app).until(address)
  const read = (name: string) => searchParams.get(name) ?? ''
  const query = { code: read('code'), state: read('state'), iss: read('iss') }
  const options = { headers: { cookie: cookiesOf(begun) }, parseAs: 'text' } as const
  const { response } =
    provider === 'default'
      ? await client.GET('/oauth/callback', { ...options, params: { query } })
      : await client.GET('/oauth/{provider}/callback', {
          ...options,
          params: { path: { provider }, query },
        })
  return response
}

/** Logs out by the page of the provider and its form; answers the redirect of the form. */
export async function logOut(client: TypedClient, provider: Provider): Promise<Response> {
  const { data } = await client.GET('/api/session')
  const body = { csrf_token: data?.csrf_token ?? '' }
  if (provider === 'default') {
    await client.GET('/oauth/logout', { parseAs: 'text' })
    return (await client.POST('/oauth/logout', { body })).response
  }
  const options = { params: { path: { provider } } }
  await client.GET('/oauth/{provider}/logout', { ...options, parseAs: 'text' })
  return (await client.POST('/oauth/{provider}/logout', { ...options, body })).response
}

/** The cookies that an answer sets, as a browser sends them. */
export function cookiesOf({ headers }: Response): string {
  return headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
}
