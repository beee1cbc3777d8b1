import {
  belowBothAccounts,
  type Caller,
  type Examples,
  present,
  type World,
} from '../../../test/example.ts'
import { addPasskey, softwarePasskey } from '../../../test/passkeys.ts'

async function added({ app }: World, caller: Caller): Promise<string> {
  const { body } = await addPasskey(app, caller.headers, { proof: present(caller) })
  return body.id
}

async function registration({ app }: World, caller: Caller) {
  const { headers } = caller
  const { body } = await app.call('POST', '/api/account/passkeys/options', {
    ...{ headers, json: present(caller) },
  })
  const { origin } = app.deps.config.passkeys
  const isBegun = body?.user !== undefined
  const response = isBegun ? softwarePasskey({ origin }).registration(body) : {}
  return { json: { response, name: 'Telephone' } }
}

export const examples: Examples = {
  beginPasskeyLogin: { bare: 200 },
  ...belowBothAccounts({
    listPasskeys: {},
    beginPasskey: { commit: null, make: (_, caller) => ({ json: present(caller) }) },
    addPasskey: { needs: 'fresh', commit: 2, events: ['mfa_enrolled'], make: registration },
    renamePasskey: {
      ...{ needs: 'fresh', events: ['passkey_renamed'] },
      make: async (world, caller) => ({
        params: { id: await added(world, caller) },
        json: { name: 'Key on the ring' },
      }),
    },
    removePasskey: {
      ...{ needs: 'fresh', events: ['mfa_recovery_code_used', 'mfa_removed'] },
      make: async (world, caller) => {
        const { app } = world
        const { body } = await addPasskey(app, caller.headers, { proof: present(caller) })
        const recovery_code = body.recovery_codes[0]
        return { params: { id: body.id }, json: { ...present(caller), recovery_code } }
      },
    },
    beginPasskeyProof: { commit: null, make: () => ({ json: { action: 'password' } }) },
  }),
}
