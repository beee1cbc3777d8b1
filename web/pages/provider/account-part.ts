import type { AccountPart } from '../own-account/part.ts'

export const accountPart: AccountPart = {
  links: [
    {
      group: 'applications',
      order: 65,
      href: '/account/applications',
      title: ({ provider }) => provider.title,
      summary: ({ provider }) => provider.summary,
      state: ({ waysIn }, { provider }) => provider.count(waysIn.applications ?? 0),
      isShown: ({ waysIn }) => waysIn.applications !== undefined,
    },
  ],
  words: ({ provider: { withdrawn } }) => ({ done: { application_withdrawn: withdrawn } }),
}
