import { eventType } from '../../core/events/types.ts'

export const emailLoginRequested = eventType<{ user_id: number | null }>('email_login_requested', {
  formerly: 'email_login_begun',
  groups: [],
  description: 'a link and a code that sign in are asked for; the answer shows no account',
  fields: {
    user_id: 'null if nothing is mailed: no account has the address, or the account may not log in',
  },
  words: { en: 'Login by mail asked for', de: 'Anmeldung per E-Mail verlangt' },
})
