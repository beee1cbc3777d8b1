import type { Examples, World } from '../../../test/example.ts'

const path = '/api/admin/clients/registration-tokens'
const wanted = { name: 'assistants', scopes: ['openid'], redirect_hosts: ['localhost'] }

export const settings = () => ({ CLIENT_REGISTRATION: 'token', PROVIDER: 'on' })

async function made({ app }: World): Promise<{ id: string; token: string }> {
  const headers = await app.bearer(app.admin)
  const { body } = await app.call('POST', path, { headers, json: wanted })
  return body
}

export const examples: Examples = {
  listRegistrationTokens: {},
  createRegistrationToken: {
    events: ['registration_token_created'],
    make: () => ({ json: wanted }),
  },
  revokeRegistrationToken: {
    events: ['registration_token_revoked'],
    make: async (world) => ({ params: { id: (await made(world)).id } }),
  },
  registerClient: {
    bare: 401, // without its token
    events: ['client_registered', 'client_created'],
    make: async (world) => ({
      headers: { authorization: `Bearer ${(await made(world)).token}` },
      json: { redirect_uris: ['http://127.0.0.1/callback'], token_endpoint_auth_method: 'none' },
    }),
  },
}
