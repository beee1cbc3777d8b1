import {
  belowBothAccounts,
  type Caller,
  type Examples,
  present,
  presentWithCode,
  type World,
} from '../../../test/example.ts'
import { softwarePasskey } from '../../../test/passkeys.ts'

let made = 0

/** Of the caller, past the service: a new factor ends the logins of the caller. */
export async function ownPasskey({ app }: World, { who: { userId } }: Caller): Promise<string> {
  made += 1
  const id = `passkey-${made}`
  const { rpId: rp_id } = app.deps.config.passkeys
  const row = {
    ...{ id, credential_id: id, user_id: userId, public_key: 'AAAA', algorithm: -7, counter: 0 },
    ...{ backup_eligible: 1, backed_up: 1, rp_id, name: 'Telephone', transports: '' },
    ...{ created_at: app.clock.now(), used_at: null },
  }
  await app.deps.db.insertInto('passkeys').values(row).execute()
  return id
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
  ...belowBothAccounts({
    listPasskeys: {},
    beginPasskey: { commit: null, make: (_, caller) => ({ json: present(caller) }) },
    addPasskey: { needs: 'fresh', commit: 2, events: ['mfa_enrolled'], make: registration },
    renamePasskey: {
      ...{ needs: 'fresh', events: ['passkey_renamed'] },
      make: async (world, caller) => ({
        params: { id: await ownPasskey(world, caller) },
        json: { name: 'Key on the ring' },
      }),
    },
    removePasskey: {
      ...{ needs: 'factor', commit: 3, events: ['mfa_recovery_code_used', 'mfa_removed'] },
      make: async (world, caller) => ({
        params: { id: await ownPasskey(world, caller) },
        json: presentWithCode(caller),
      }),
    },
    beginPasskeyProof: { commit: null, make: () => ({ json: { action: 'password' } }) },
  }),
}
