import type { NoticesViews } from '../../../src/extras/mail/views.ts'
import { at } from '../own-account/examples.ts'
import type { ExamplesOf } from '../page.ts'

export const examples: ExamplesOf<NoticesViews> = {
  'account-notices': {
    none: { notices: [] },
    several: {
      notices: [
        {
          type: 'new_sign_in',
          at,
          by: 'owner',
          browser: 'Safari',
          system: 'iOS',
          address: '2001:db8::7',
          words: null,
        },
        {
          type: 'password_changed',
          at: at - 86_400_000,
          by: 'administrator',
          browser: null,
          system: null,
          address: null,
          words: null,
        },
        {
          type: 'account_event',
          at: at - 2 * 86_400_000,
          by: 'owner',
          browser: 'Safari',
          system: 'iOS',
          address: '2001:db8::7',
          words: { en: 'Badge made', de: 'Ausweis erstellt' },
        },
      ],
    },
  },
}
