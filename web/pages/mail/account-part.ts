import type { AccountPart } from '../own-account/part.ts'

export const accountPart: AccountPart = {
  links: [
    {
      group: 'activity',
      order: 60,
      href: '/account/notices',
      title: ({ notices }) => notices.noticesTitle,
      summary: ({ notices }) => notices.noticesSummary,
    },
  ],
}
