import type { AccountPart } from './part.ts'

export const accountPart: AccountPart = {
  links: [
    {
      group: 'sign_in',
      order: 20,
      href: '/account/password',
      title: ({ account }) => account.passwordTitle,
      summary: ({ account }) => account.passwordSummary,
      state: ({ hasPassword }, { account }) => (hasPassword ? account.isSet : account.isNotSet),
    },
    {
      group: 'sign_in',
      order: 25,
      href: '/account/passkeys',
      title: ({ passkeys }) => passkeys.title,
      summary: ({ passkeys }) => passkeys.summary,
      state: ({ waysIn }, { passkeys }) => passkeys.count(waysIn.passkey ?? 0),
    },
    {
      group: 'sign_in',
      order: 30,
      href: '/account/second-factor',
      title: ({ account }) => account.appTitle,
      summary: ({ account }) => account.factorSummary,
      state: ({ waysIn }, { account }) => ((waysIn.totp ?? 0) > 0 ? account.on : account.off),
    },
    {
      group: 'sign_in',
      order: 40,
      href: '/account/recovery-codes',
      title: ({ account }) => account.codesTitle,
      summary: ({ account }) => account.codesSummary,
      state: ({ waysIn }, { account }) => account.codesLeft(waysIn.recovery_codes ?? 0),
      isShown: ({ secondFactor }) => secondFactor,
    },
    {
      group: 'sessions',
      order: 50,
      href: '/account/sessions',
      title: ({ account }) => account.sessionsTitle,
      summary: ({ account }) => account.sessionsSummary,
    },
    {
      group: 'sign_in',
      order: 70,
      href: '/account/providers',
      title: ({ account }) => account.providersTitle,
      summary: ({ account }) => account.providersSummary,
      state: ({ waysIn }, { account }) => account.linkedCount(waysIn.identities ?? 0),
      isShown: ({ hasProviders }) => hasProviders,
    },
  ],
  words: ({ account, passkeys }) => ({
    changes: account.confirmChange,
    done: { ...account.done, ...passkeys.done },
    problems: { ...account.problems, ...passkeys.problems },
  }),
}
