import {
  type CommandExamples,
  type CommandWorld,
  completing,
  type Examples,
  type Make,
  type World,
} from '../../../test/example.ts'
import { verifyAddress } from '../../../test/mail.ts'
import { formAt } from '../../../test/page-forms.ts'
import {
  begunSignUp,
  invited,
  mailboxOf,
  profileFields,
  profileOf,
} from '../../../test/registration.ts'

const roles = ['USER']
const invite = async ({ app, admin, once, newAddress }: World) =>
  invited(app, await once(mailboxOf), { email: newAddress(), roles }, admin)
const invitation: Make = async (world) => ({ params: { id: (await invite(world)).id } })

export const examples: Examples = {
  beginSignUp: [
    {
      events: ['sign_up_requested'],
      make: ({ newAddress }) => ({ json: { email: newAddress() } }),
    },
    {
      events: ['sign_up_requested'],
      make: async ({ app, newAccount, newAddress }) => {
        const email = newAddress()
        await verifyAddress(app, await newAccount(), email)
        return { json: { email } }
      },
    },
  ],
  ...completing('SignUp', {
    events: ['user_created'],
    make: async ({ app, once, newAddress, newName }) => {
      const { token } = await begunSignUp(app, await once(mailboxOf), newAddress())
      return { json: { token, ...profileOf(newName()) } }
    },
  }),
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
  'GET /invitation': {
    ...{ needs: 'flow', bare: 400 },
    make: async (world) => ({ path: `/invitation?token=${(await invite(world)).token}` }),
  },
  'POST /invitation': {
    needs: 'flow',
    events: ['authn_login_success', 'invitation_accepted', 'session_created', 'user_created'],
    make: async (world) => {
      const { token } = await invite(world)
      return formAt(world.app, `/invitation?token=${token}`, profileFields(world.newName()))
    },
  },
  'GET /signup': {},
  'POST /signup': [
    {
      ...{ needs: 'flow', events: ['sign_up_requested'] },
      make: (world) => formAt(world.app, '/signup', { email: world.newAddress() }),
    },
    {
      events: ['authn_login_success', 'session_created', 'user_created'],
      make: async (world) => {
        const { app, once, newAddress, newName } = world
        const { token } = await begunSignUp(app, await once(mailboxOf), newAddress())
        return formAt(world.app, `/signup?token=${token}`, profileFields(newName()))
      },
    },
  ],
}

export const settings = () => ({ SIGN_UP: 'open' })

const ofInvitation = (words: string) => async (world: CommandWorld) =>
  world.run(`invitation ${words} ${(await invite(world)).id}`)

export const commands: CommandExamples = {
  'invitation create': {
    events: ['invitation_created'],
    run: ({ run }) => run('invitation create one@example.org --roles USER'),
  },
  'invitation list': {},
  'invitation resend': { events: ['invitation_resent'], run: ofInvitation('resend') },
  'invitation revoke': { events: ['invitation_revoked'], run: ofInvitation('revoke') },
}
