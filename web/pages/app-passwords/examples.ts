import type { AppPasswordsViews } from '../../../src/extras/app-passwords/views.ts'
import { at, own } from '../own-account/examples.ts'
import type { ExamplesOf } from '../page.ts'

const key = {
  id: 'q0Tn4kXn8Zc1mVbY',
  name: 'Calendar of the phone',
  createdAt: at,
  expiresAt: at + 365 * 86_400_000,
  lastUsedAt: null,
}

export const examples: ExamplesOf<AppPasswordsViews> = {
  'account-app-passwords': {
    none: { ...own, keys: [] },
    several: {
      ...own,
      keys: [key, { ...key, id: 'r0Tn4kXn8Zc1mVbY', name: 'Mail', lastUsedAt: at }],
    },
    revoked: { ...own, done: 'app_password_revoked', keys: [key] },
    'bad name': { ...own, problem: { code: 'app_password_name', field: 'name' }, keys: [] },
    full: { ...own, problem: { code: 'app_passwords_full', field: null }, keys: [key] },
  },
  'account-new-app-password': {
    plain: {
      name: key.name,
      key: 'gth_8KNwxT9KTWhVCOYkvPYVWtbEBvGu0JeeoXrI4P7dcGa26AXck',
      username: 'ann',
    },
  },
}
