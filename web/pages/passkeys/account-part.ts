import type { AccountPart } from '../own-account/part.ts'

export const accountPart: AccountPart = {
  links: [
    {
      order: 25,
      href: '/account/passkeys',
      title: ({ passkeys }) => passkeys.title,
      summary: ({ passkeys }) => passkeys.summary,
      state: ({ waysIn }, { passkeys }) => passkeys.count(waysIn.passkey ?? 0),
    },
  ],
  words: ({ passkeys: { done, problems } }) => ({ done, problems }),
}
