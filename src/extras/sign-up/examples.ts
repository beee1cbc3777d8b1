import type { CommandExamples, CommandWorld, Examples, Make, World } from '../../../test/example.ts'
import { verifyAddress } from '../../../test/mail.ts'
import { begunSignUp, invited, mailboxOf, profileOf } from '../../../test/registration.ts'

const roles = ['USER']
const invite = async ({ app, admin, once, newAddress }: World) =>
  invited(app, await once(mailboxOf), { email: newAddress(), roles }, admin)
const invitation: Make = async (world) => ({ params: { id: (await invite(world)).id } })

export const examples: Examples = {
  beginSignUp: [
    {
      events: ['sign_up_begun'],
      make: ({ newAddress }) => ({ json: { email: newAddress() } }),
    },
    {
      events: ['sign_up_begun'],
      make: async ({ app, newAccount, newAddress }) => {
        const email = newAddress()
        await verifyAddress(app, await newAccount(), email)
        return { json: { email } }
      },
    },
  ],
  finishSignUp: {
    events: ['user_created'],
    make: async ({ app, once, newAddress, newName }) => {
      const { token } = await begunSignUp(app, await once(mailboxOf), newAddress())
      return { json: { token, ...profileOf(newName()) } }
    },
  },
  acceptInvitation: {
    events: ['user_created', 'invitation_accepted'],
    make: async (world) => ({
      json: { token: (await invite(world)).token, ...profileOf(world.newName()) },
    }),
  },
  listInvitations: {},
  createInvitation: [
    {
      events: ['invitation_created'],
      make: ({ newAddress }) => ({ json: { email: newAddress(), roles } }),
    },
    {
      events: ['invitation_revoked', 'invitation_created'],
      make: async (world) => ({ json: { email: (await invite(world)).email, roles } }),
    },
  ],
  resendInvitation: { events: ['invitation_resent'], make: invitation },
  revokeInvitation: { events: ['invitation_revoked'], make: invitation },
}

export const settings = () => ({ SIGN_UP: 'open' })

const ofInvitation = (words: string) => async (world: CommandWorld) =>
  world.run(`invitation ${words} ${(await invite(world)).id}`)

export const commands: CommandExamples = {
  invite: {
    events: ['invitation_created'],
    run: ({ run }) => run('invite one@example.org --roles USER'),
  },
  'invitation list': {},
  'invitation resend': { events: ['invitation_resent'], run: ofInvitation('resend') },
  'invitation revoke': { events: ['invitation_revoked'], run: ofInvitation('revoke') },
}
