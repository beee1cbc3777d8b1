import {
  belowBothAccounts,
  type Caller,
  type Examples,
  present,
  type World,
} from '../../../test/example.ts'
import { proofBy, softwarePasskey } from '../../../test/passkeys.ts'
import { idOf } from './store.ts'

/** Of the caller, past the service: a new factor ends the logins of the caller. */
async function added({ app }: World, { who: { userId } }: Caller) {
  const { origin, rpId } = app.deps.config.passkeys
  const passkey = softwarePasskey({ origin })
  const id = idOf(passkey.id)
  const row = {
    ...{ id, credential_id: passkey.id, user_id: userId, algorithm: -7, counter: 0 },
    ...{ public_key: Buffer.from(passkey.publicKey).toString('base64url'), rp_id: rpId },
    ...{ backup_eligible: 1, backed_up: 1, name: 'Telephone', transports: '' },
    ...{ created_at: app.clock.now(), used_at: null },
  }
  await app.deps.db.insertInto('passkeys').values(row).execute()
  return { id, passkey }
}

/** Its id. */
export async function ownPasskey(world: World, caller: Caller): Promise<string> {
  return (await added(world, caller)).id
}

/** Its id, and its answer as the proof of its removal. */
export async function ownPasskeyAsProof(world: World, caller: Caller) {
  const { id, passkey } = await added(world, caller)
  return { id, ...(await proofBy(world.app, caller.headers, passkey, 'factor_removal')) }
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
  passkeyEndpoints: {},
  relatedOrigins: {},
  ...belowBothAccounts({
    listPasskeys: {},
    beginPasskey: { commit: null, make: (_, caller) => ({ json: present(caller) }) },
    addPasskey: { needs: 'fresh', events: ['mfa_enrolled'], make: registration },
    renamePasskey: {
      ...{ needs: 'fresh', events: ['passkey_renamed'] },
      make: async (world, caller) => ({
        params: { id: await ownPasskey(world, caller) },
        json: { name: 'Key on the ring' },
      }),
    },
    removePasskey: {
      ...{ needs: 'factor', commit: 2, events: ['mfa_removed'] },
      make: async (world, caller) => {
        const { id, passkey } = await ownPasskeyAsProof(world, caller)
        return { params: { id }, json: { passkey } }
      },
    },
    beginPasskeyProof: { commit: null, make: () => ({ json: { action: 'password' } }) },
  }),
}
