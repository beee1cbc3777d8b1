import { mailboxes } from '../../../test/emails.ts'
import { type CommandExamples, completing, type Examples } from '../../../test/example.ts'
import { verifyAddress } from '../../../test/mail.ts'
import { formAt } from '../../../test/page-forms.ts'

const newPassword = 'another phrase, 1887'

export const examples: Examples = {
  beginReset: [
    {
      events: ['password_reset_requested'],
      make: ({ newName }) => ({ json: { username: newName() } }),
    },
    {
      events: ['password_reset_requested'],
      make: async ({ app, newAccount, newAddress }) => {
        const email = newAddress()
        await verifyAddress(app, await newAccount(), email)
        return { json: { email } }
      },
    },
  ],
  ...completing('Reset', {
    events: ['authn_password_change', 'password_reset'],
    make: async ({ once, newAccount }) => {
      const { confirmations, token } = await once(mailboxes)
      const { userId } = await newAccount()
      const { id } = await confirmations.begin({ purpose: 'reset', userId, version: 1 })
      return { json: { token: await token(id), new_password: newPassword } }
    },
  }),
  beginAccountReset: {
    events: ['password_reset_requested'],
    make: async ({ newAccount, newAddress }) => ({
      params: { username: (await newAccount()).username },
      json: { email: newAddress() },
    }),
  },
  'GET /reset': {},
  'POST /reset': [
    {
      ...{ needs: 'flow', events: ['password_reset_requested'] },
      make: (world) => formAt(world.app, '/reset', { username: world.newName() }),
    },
    {
      events: ['authn_password_change', 'password_reset'],
      make: async (world) => {
        const { confirmations, token } = await world.once(mailboxes)
        const { userId } = await world.newAccount()
        const { id } = await confirmations.begin({ purpose: 'reset', userId, version: 1 })
        const fields = { new_password: newPassword, new_password_again: newPassword }
        return formAt(world.app, `/reset?token=${await token(id)}`, fields)
      },
    },
  ],
}

export const commands: CommandExamples = {
  'account reset': {
    events: ['password_reset_requested'],
    run: async ({ run, newAccount }) =>
      run(`account reset ${(await newAccount()).username} --email reset@example.org`),
  },
}
