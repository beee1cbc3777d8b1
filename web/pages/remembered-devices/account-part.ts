import type { AccountPart } from '../own-account/part.ts'

export const accountPart: AccountPart = {
  links: [
    {
      group: 'sessions',
      order: 45,
      href: '/account/devices',
      title: ({ devices }) => devices.title,
      summary: ({ devices }) => devices.summary,
      state: ({ waysIn }, { devices }) => devices.count(waysIn.devices ?? 0),
      isShown: ({ secondFactor }) => secondFactor,
    },
  ],
  words: ({ devices: { done } }) => ({ done }),
}
