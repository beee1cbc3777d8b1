import type { AccountPart } from '../own-account/part.ts'

export const accountPart: AccountPart = {
  links: [
    {
      group: 'you',
      order: 5,
      href: '/account/profile',
      title: ({ profile }) => profile.title,
      summary: ({ profile }) => profile.summary,
      isShown: ({ waysIn }) => waysIn.profile_fields !== undefined,
    },
  ],
  words: ({ profile: { saved, wrong } }) => ({
    done: { profile: saved },
    problems: { profile_wrong: wrong },
  }),
}
