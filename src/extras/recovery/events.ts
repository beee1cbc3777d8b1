import { eventType } from '../../core/events/types.ts'

export const resetRequested = eventType<{ user_id: number | null }>('password_reset_requested', {
  formerly: 'password_reset_begun',
  groups: [],
  description: 'a link to reset a password is asked for, by anyone or by an administrator',
  fields: {
    user_id:
      'null if nothing is mailed: no account has the name, or none with a verified address that may log in',
  },
  words: { en: 'Password reset asked for', de: 'Zurücksetzen eines Passworts verlangt' },
})

export const resetFinished = eventType<{ user_id: number; method: 'link' | 'code' }>(
  'password_reset',
  {
    groups: ['credentials'],
    description: 'beside the change of the password: it was set by the link or the code of a mail',
    fields: { user_id: '', method: '`link`, `code`' },
    words: { en: 'Password reset by mail', de: 'Passwort per E-Mail zurückgesetzt' },
  },
)
