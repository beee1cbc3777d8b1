import { areaTexts } from '../../texts.ts'

export const overviewTexts = areaTexts({
  en: async () => (await import('../../../languages/en/console/overview.ts')).overview,
  de: async () => (await import('../../../languages/de/console/overview.ts')).overview,
})
