import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { Provider } from 'oidc-provider'
import { serve } from './serve.ts'

// oidc-provider with an adapter that keeps its tokens in SQLite, as durable as this service does: each
// change is on the disk before the answer. It answers codes at /codes, as its own pages would.

interface Input {
  readonly port: number
  readonly file: string
  readonly client: { readonly client_id: string; readonly client_secret: string }
  readonly redirectUri: string
}

function adapterOn(file: string) {
  const db = new DatabaseSync(file)
  db.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table rows (id text primary key, grant_id text, payload text, consumed integer) strict;
    create index rows_of_grants on rows (grant_id) where grant_id is not null`)
  const put = db.prepare('insert or replace into rows values (?, ?, ?, null)')
  const get = db.prepare('select payload, consumed from rows where id = ?')
  const use = db.prepare('update rows set consumed = ? where id = ?')
  const remove = db.prepare('delete from rows where id = ?')
  const end = db.prepare('delete from rows where grant_id = ?')
  return class {
    readonly name: string
    constructor(name: string) {
      this.name = name
    }
    async upsert(id: string, payload: { grantId?: string }) {
      put.run(`${this.name} ${id}`, payload.grantId ?? null, JSON.stringify(payload))
    }
    async find(id: string) {
      const row = get.get(`${this.name} ${id}`)
      return row && { ...JSON.parse(String(row.payload)), ...(row.consumed && { consumed: true }) }
    }
    async consume(id: string) {
      use.run(Math.floor(Date.now() / 1000), `${this.name} ${id}`)
    }
    async destroy(id: string) {
      remove.run(`${this.name} ${id}`)
    }
    async revokeByGrantId(grantId: string) {
      end.run(grantId)
    }
  }
}

serve<Input>(async ({ port, file, client, redirectUri }) => {
  const issuer = `http://127.0.0.1:${port}`
  const provider = new Provider(issuer, {
    adapter: adapterOn(file),
    clients: [
      {
        ...client,
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    pkce: { required: () => false },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId }),
    }),
    ttl: {
      AccessToken: 900,
      AuthorizationCode: 60,
      Grant: 86_400,
      IdToken: 3600,
      RefreshToken: 86_400,
    },
    features: { devInteractions: { enabled: false } },
  })
  const answer = provider.callback()

  async function code(): Promise<string> {
    const grant = new provider.Grant({ clientId: client.client_id, accountId: '2' })
    grant.addOIDCScope('openid')
    const grantId = await grant.save()
    const found = await provider.Client.find(client.client_id)
    const made = new provider.AuthorizationCode({
      ...{ accountId: '2', client: found, grantId, redirectUri, scope: 'openid' },
      ...{ gty: 'authorization_code', authTime: Math.floor(Date.now() / 1000), amr: ['pwd'] },
    })
    return made.save()
  }

  const server = createServer(async (request, response) => {
    const [, count] = /^\/codes\/(\d+)$/.exec(request.url ?? '') ?? []
    if (count === undefined) return answer(request, response)
    const codes: string[] = []
    while (codes.length < Number(count)) codes.push(await code())
    response.end(JSON.stringify(codes))
  })
  return { server, port }
})
