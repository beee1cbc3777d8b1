import type { AccountPart } from '../own-account/part.ts'

export const accountPart: AccountPart = {
  links: [
    {
      group: 'sign_in',
      order: 55,
      href: '/account/app-passwords',
      title: ({ appPasswords }) => appPasswords.title,
      summary: ({ appPasswords }) => appPasswords.summary,
      isShown: ({ waysIn }) => waysIn.app_passwords !== undefined,
      state: ({ waysIn }, { appPasswords }) => appPasswords.count(waysIn.app_passwords ?? 0),
    },
  ],
  words: ({ appPasswords: { badName, change, full, revoked } }) => ({
    changes: { app_password: change },
    done: { app_password_revoked: revoked },
    problems: { app_password_name: badName, app_passwords_full: full },
  }),
}
