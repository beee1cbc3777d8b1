import { areaTexts } from '../../texts.ts'

export const accountsTexts = areaTexts({
  en: async () => (await import('../../../languages/en/console/accounts.ts')).accounts,
  de: async () => (await import('../../../languages/de/console/accounts.ts')).accounts,
})
