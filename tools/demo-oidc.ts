import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { freePort } from './free-port.ts'
import { startService } from './service.ts'

/**
 * `npm run demo:oidc` starts an identity provider and the service on loopback, for a sign-in with a
 * browser. The provider accepts every user; all data is removed at the end.
 */
const secret = randomBytes(32).toString('base64url')
const port = await freePort()
const base = `http://127.0.0.1:${port}`
const server = createServer((request, response) => answer(request, response))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'gatehouse',
      client_secret: secret,
      redirect_uris: [`${base}/oauth/callback`],
      post_logout_redirect_uris: [`${base}/`],
      grant_types: ['authorization_code', 'client_credentials'],
    },
  ],
  cookies: { keys: [randomBytes(32).toString('base64url')] },
  claims: { email: ['email'], profile: ['name', 'preferred_username'] },
  findAccount: (_: unknown, sub: string) => ({
    accountId: sub,
    claims: () => ({
      sub,
      name: sub,
      preferred_username: sub,
      email: `${encodeURIComponent(sub)}@example.org`,
    }),
  }),
  features: { clientCredentials: { enabled: true } },
})
const answer = provider.callback()

const settings = {
  PORT: String(port),
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: 'gatehouse',
  OIDC_CLIENT_SECRET: secret,
  OIDC_SIGN_UP: 'on',
}
const service = await startService([process.execPath, 'src/main.ts'], settings)
process.stdout.write(`
Open in a browser:  ${base}/oauth/login?return_to=/api/session
Sign in there with any name and any password. Log out:  ${base}/oauth/logout

The service was started with
${Object.entries(settings)
  .map(([name, value]) => `  ${name}=${value}`)
  .join('\n')}

Ctrl-C ends both.
`)

let isStopping = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    if (isStopping) return // npm forwards the signal a second time
    isStopping = true
    server.close()
    server.closeAllConnections()
    await service.stop()
    service.remove()
    process.exit(0)
  })
}
