import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import { call, serve } from './serve.ts'

// oidc-provider with two features switched on and its own adapter, which keeps tokens in memory:
// its documentation leaves a lasting one to the operator, and none is as fast. Access tokens are
// opaque, its default.

const client = { client_id: 'bench', client_secret: 'a secret of the benchmark' }

/** What both requests send to authenticate the client. */
const basic = `Basic ${btoa(`${client.client_id}:${encodeURIComponent(client.client_secret)}`)}`

serve<{ port: number }>(async ({ port }) => {
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    clients: [
      { ...client, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] },
    ],
    ttl: { ClientCredentials: 3600 },
    features: {
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      devInteractions: { enabled: false },
    },
  })
  const server = createServer(provider.callback())
  return {
    server,
    port,
    async started(url) {
      const headers = {
        authorization: basic,
        'content-type': 'application/x-www-form-urlencoded',
      }
      const response = await call(`${url}/token`, {
        method: 'POST',
        headers,
        body: 'grant_type=client_credentials',
      })
      const { access_token } = (await response.json()) as { access_token: string } // RFC 6749, 5.1
      return { headers: { client: headers, token: { access_token } } }
    },
  }
})
