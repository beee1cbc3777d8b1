import { areaTexts } from '../../texts.ts'

export const settingsTexts = areaTexts({
  en: async () => (await import('./en.ts')).settings,
  de: async () => (await import('./de.ts')).settings,
})
