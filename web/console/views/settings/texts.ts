import { areaTexts } from '../../texts.ts'

export const settingsTexts = areaTexts({
  en: async () => (await import('../../../languages/en/console/settings.ts')).settings,
  de: async () => (await import('../../../languages/de/console/settings.ts')).settings,
})
