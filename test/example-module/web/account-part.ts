import type { AccountPart } from '../../../web/pages/own-account/part.ts'

export const accountPart: AccountPart = {
  links: [
    {
      group: 'sign_in',
      order: 26,
      href: '/account/badge',
      title: ({ badge }) => badge.title,
      summary: ({ badge }) => badge.summary,
      state: ({ waysIn }, { badge }) => (waysIn.badges ? badge.isThere : badge.none),
    },
  ],
  words: ({ badge }) => ({
    changes: { 'x-note-badge': badge.change },
    done: { badge_removed: badge.removed },
  }),
}
