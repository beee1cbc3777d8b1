import type { Someone } from '../../../test/app.ts'
import { mailboxes } from '../../../test/emails.ts'
import {
  belowBothAccounts,
  type Caller,
  type CommandExamples,
  type Example,
  type Examples,
  present,
  type World,
} from '../../../test/example.ts'
import { verifyAddress } from '../../../test/mail.ts'
import { afterForm, formAt } from '../../../test/page-forms.ts'

async function proofFor({ app, once, newAddress }: World, account: Promise<Someone>) {
  const who = await account
  const { ask, token } = await once(mailboxes)
  return token(await ask(app.basic(who), newAddress(), who.password))
}

/** A second request would replace the pending address. */
async function pendingOf({ app, once, newAddress }: World, { who }: Caller): Promise<string> {
  const { ask, confirmations } = await once(mailboxes)
  const pending = await confirmations.pending(who.userId, ['verification', 'email_change'])
  return pending?.id ?? ask(app.basic(who), newAddress(), who.password)
}

async function verified({ app, newAccount, newAddress }: World) {
  const who = await newAccount()
  await verifyAddress(app, who, newAddress())
  return who
}

const verification = (event: string, token: (world: World) => Promise<string>): Example => ({
  events: [event],
  make: async (world) => ({ json: { token: await token(world) } }),
})

export const examples: Examples = {
  ...belowBothAccounts({
    getOwnEmail: {},
    changeOwnEmail: {
      events: ['email_verification_requested'],
      make: ({ newAddress }, caller) => ({ json: { email: newAddress(), ...present(caller) } }),
    },
    cancelOwnEmail: {
      events: ['email_verification_cancelled'],
      make: async (world, caller) => {
        await pendingOf(world, caller)
        return {}
      },
    },
    changeOwnLanguage: {
      events: ['language_changed'],
      make: async ({ app }, { who }) => {
        const call = { headers: app.basic(who), json: { language: 'en' } }
        await app.call('PUT', '/api/account/language', call)
        return { json: { language: 'de' } }
      },
    },
  }),
  getAccountEmail: { make: ({ owner }) => ({ params: { username: owner.username } }) },
  removeAccountEmail: {
    events: ['email_removed'],
    make: async (world) => ({ params: { username: (await verified(world)).username } }),
  },
  verifyEmail: [
    verification('email_verified', (world) => proofFor(world, world.newAccount())),
    verification('email_changed', (world) => proofFor(world, verified(world))),
    verification('email_restored', async (world) => {
      const [who, { confirm, waysBack }] = [await verified(world), await world.once(mailboxes)]
      await confirm({ token: await proofFor(world, Promise.resolve(who)) })
      return (await waysBack(who))[0] ?? ''
    }),
  ],
  'POST /account/email': {
    events: ['email_verification_requested'],
    make: ({ newAddress }, caller) => ({ form: { email: newAddress(), ...present(caller) } }),
  },
  'POST /account/email/confirm': {
    ...{ needs: 'fresh', bare: 400, commit: 2, events: ['email_verified'] },
    make: async (world, caller) => {
      const form = { email: world.newAddress(), ...present(caller) }
      await afterForm(world.app, caller, '/account/email', form)
      const { confirmations } = await world.once(mailboxes)
      const id = await pendingOf(world, caller)
      const { flow = null } = (await confirmations.stored(id)) ?? {}
      return { form: { code: (await confirmations.mailed(id, flow)).code } }
    },
  },
  'POST /account/email/cancel': {
    ...{ bare: null, events: ['email_verification_cancelled'] },
    make: async (world, caller) => {
      await pendingOf(world, caller)
      return { form: {} }
    },
  },
  'GET /verify': {},
  'POST /verify': {
    ...{ needs: 'flow', events: ['email_verified'] },
    make: async (world) => {
      const token = await proofFor(world, world.newAccount())
      return formAt(world.app, `/verify?token=${token}`)
    },
  },
}

export const commands: CommandExamples = {
  'account email': {
    events: ['user_updated'],
    run: async ({ run, newAccount }) =>
      run(`account email ${(await newAccount()).username} other@example.org`),
  },
}
