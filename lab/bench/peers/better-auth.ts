import { createServer } from 'node:http'
import { join } from 'node:path'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import Database from 'better-sqlite3'
import { account } from './accounts.ts'
import { call, cookiesOf, serve } from './serve.ts'

// Better Auth behind node:http, with the SQLite driver that its documentation recommends and the
// write-ahead log. `cookieCache` is its recommendation for performance: the session then comes from
// a signed cookie, and a revoked one is accepted until that ends (5 minutes). The rate limit is off,
// as all requests come from one address.

serve<{ folder: string; cookieCache: boolean; port: number }>(
  async ({ folder, cookieCache, port }) => {
    const database = new Database(join(folder, 'better-auth.db'))
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = NORMAL')
    const options = {
      baseURL: `http://127.0.0.1:${port}`,
      secret: 'a secret of the benchmark, with forty-eight bytes',
      database,
      emailAndPassword: { enabled: true },
      session: { cookieCache: { enabled: cookieCache, maxAge: 300 } },
      rateLimit: { enabled: false },
      telemetry: { enabled: false },
      advanced: { useSecureCookies: false },
    }
    await (await getMigrations(options)).runMigrations()
    const server = createServer(toNodeHandler(betterAuth(options)))
    return {
      server,
      port,
      async started(url) {
        const response = await call(`${url}/api/auth/sign-up/email`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: url },
          body: JSON.stringify(account),
        })
        return { headers: { session: { cookie: cookiesOf(response) } } }
      },
    }
  },
)
