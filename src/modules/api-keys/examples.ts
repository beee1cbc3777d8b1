import { newKey, serviceAccount } from '../../../test/api-keys.ts'
import type { Examples, World } from '../../../test/example.ts'

const program = ({ app, newName }: World) => serviceAccount(app, newName(), ['users:read'])

export const examples: Examples = {
  listApiKeys: { make: ({ owner }) => ({ params: { username: owner.username } }) },
  createApiKey: {
    events: ['api_key_created'],
    make: async (world) => ({
      params: { username: (await program(world)).who.username },
      json: { name: 'nightly report', scopes: ['users:read'] },
    }),
  },
  rotateApiKey: {
    events: ['api_key_rotated'],
    make: async (world) => {
      const { who, id } = await program(world)
      return { params: { username: who.username, id }, json: {} }
    },
  },
  revokeApiKey: {
    events: ['api_key_revoked'],
    make: async (world) => {
      const { who, id } = await program(world)
      return { params: { username: who.username, id } }
    },
  },
  revokeLeakedApiKey: {
    events: ['api_key_revoked'],
    make: async (world) => {
      const { who } = await program(world)
      const { key } = await newKey(world.app, who.username, { name: 'two', scopes: ['posts:*'] })
      return { json: { key } }
    },
  },
}
