import { newKey, serviceAccount } from '../../../test/api-keys.ts'
import {
  belowBothAccounts,
  type Caller,
  type CommandExamples,
  type CommandWorld,
  type Examples,
  present,
  type World,
} from '../../../test/example.ts'

const program = ({ app, newName }: World) => serviceAccount(app, newName(), ['users:read'])

export const settings = () => ({ APP_PASSWORDS: 'on' })

export async function appPassword({ app }: World, { who }: Caller) {
  const json = { name: 'calendar', current_password: who.password }
  const { body } = await app.call('POST', '/api/account/keys', { headers: app.basic(who), json })
  return { id: body.id }
}

export const examples: Examples = {
  ...belowBothAccounts({
    listAppPasswords: {},
    createAppPassword: {
      ...{ needs: 'fresh', events: ['api_key_created'] },
      make: (_, caller) => ({ json: { name: 'calendar', ...present(caller) } }),
    },
    rotateAppPassword: {
      ...{ needs: 'fresh', events: ['api_key_rotated'] },
      make: async (world, caller) => ({
        params: await appPassword(world, caller),
        json: present(caller),
      }),
    },
    revokeAppPassword: {
      ...{ needs: 'fresh', events: ['api_key_revoked'] },
      make: async (world, caller) => ({ params: await appPassword(world, caller) }),
    },
  }),
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

const ofProgram =
  (words: (username: string, id: string) => string) => async (world: CommandWorld) => {
    const { who, id } = await program(world)
    return world.run(`api-key ${words(who.username, id)}`)
  }

export const commands: CommandExamples = {
  'api-key create': {
    events: ['api_key_created'],
    run: ofProgram((username) => `create ${username} --name report --scope users:read`),
  },
  'api-key list': { run: ofProgram((username) => `list ${username}`) },
  'api-key rotate': {
    events: ['api_key_rotated'],
    run: ofProgram((username, id) => `rotate ${username} ${id} --now`),
  },
  'api-key revoke': {
    events: ['api_key_revoked'],
    run: ofProgram((username, id) => `revoke ${username} ${id}`),
  },
}
