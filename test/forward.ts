import type { Answer, Headers, TestApp } from './app.ts'

/** The host of the service and of its cookie in these tests. */
export const home = 'https://id.example.org'

/** The peer of injected requests is a proxy. */
export const proxied = { BASE_URL: home, TRUST_PROXY: '127.0.0.1' }

/** What a proxy asks about. */
export interface Asked {
  readonly host?: string
  readonly proto?: string
  readonly uri?: string
  readonly method?: string
  /** Of the request to the application; the proxy passes them on. */
  readonly headers?: Headers
  /** The address of the route, where it is not the plain one. */
  readonly at?: string
  /** The method by which the proxy asks. */
  readonly by?: string
}

export const forwardPath = '/api/authz/forward'

/** The headers of a proxy about a request. */
export function forwarded({
  host = 'wiki.example.org',
  proto = 'https',
  uri = '/',
  method = 'GET',
}: Asked = {}): Headers {
  return {
    'x-forwarded-host': host,
    'x-forwarded-proto': proto,
    'x-forwarded-uri': uri,
    'x-forwarded-method': method,
  }
}

/** Asks as a proxy would. */
export function askForward(app: TestApp, asked: Asked = {}): Promise<Answer> {
  const { at = forwardPath, by = 'GET', headers = {} } = asked
  return app.call(by, at, { headers: { ...forwarded(asked), ...headers } })
}

/** What a browser sends with the navigation of a person. */
export const navigation: Headers = {
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
}
