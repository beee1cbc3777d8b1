import { mailboxes } from '../../../test/emails.ts'
import { completing, type Examples } from '../../../test/example.ts'
import { verifyAddress } from '../../../test/mail.ts'

export const examples: Examples = {
  beginEmailLogin: {
    events: ['email_login_requested'],
    make: ({ newAddress }) => ({ json: { email: newAddress() } }),
  },
  ...completing('EmailLogin', {
    events: ['authn_token_created', 'authn_login_success'],
    make: async ({ app, once, newAccount, newAddress }) => {
      const email = newAddress()
      await verifyAddress(app, await newAccount(), email)
      const { body } = await app.call('POST', '/api/public/sign-in-code', { json: { email } })
      const token = await (await once(mailboxes)).token(body.id)
      return { json: { token, mode: 'token' } }
    },
  }),
}

export const settings = () => ({ EMAIL_SIGN_IN: 'on' })
