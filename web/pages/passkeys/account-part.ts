import type { AccountPart } from '../own-account/part.ts'

export const accountPart: AccountPart = {
  links: [
    {
      order: 25,
      href: '/account/passkeys',
      title: ({ passkeys }) => passkeys.title,
      summary: ({ passkeys }) => passkeys.summary,
    },
  ],
  words: ({ passkeys: { done, problems } }) => ({ done, problems }),
}
