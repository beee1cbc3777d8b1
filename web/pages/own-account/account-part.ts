import type { AccountPart } from './part.ts'

export const accountPart: AccountPart = {
  links: [
    {
      order: 20,
      href: '/account/password',
      title: ({ account }) => account.passwordTitle,
      summary: ({ account }) => account.passwordSummary,
    },
    {
      order: 30,
      href: '/account/second-factor',
      title: ({ account }) => account.factorTitle,
      summary: ({ account }) => account.factorSummary,
    },
    {
      order: 40,
      href: '/account/recovery-codes',
      title: ({ account }) => account.codesTitle,
      summary: ({ account }) => account.codesSummary,
      isShown: ({ secondFactor }) => secondFactor,
    },
    {
      order: 50,
      href: '/account/sessions',
      title: ({ account }) => account.sessionsTitle,
      summary: ({ account }) => account.sessionsSummary,
    },
    {
      order: 70,
      href: '/account/providers',
      title: ({ account }) => account.providersTitle,
      summary: ({ account }) => account.providersSummary,
      isShown: ({ hasProviders }) => hasProviders,
    },
  ],
  words: ({ account: { done, problems } }) => ({ done, problems }),
}
