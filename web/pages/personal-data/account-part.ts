import type { AccountPart } from '../own-account/part.ts'

export const accountPart: AccountPart = {
  links: [
    {
      group: 'data',
      order: 80,
      href: '/account/data',
      title: ({ ownData }) => ownData.dataTitle,
      summary: ({ ownData }) => ownData.dataSummary,
    },
    {
      group: 'deletion',
      order: 90,
      href: '/account/delete',
      title: ({ ownData }) => ownData.deletionTitle,
      summary: ({ ownData }) => ownData.deletionSummary,
    },
  ],
  words: ({ ownData: { problems } }) => ({ problems }),
}
