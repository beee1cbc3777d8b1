import { areaTexts } from '../../texts.ts'

export const throttleTexts = areaTexts({
  en: async () => (await import('./en.ts')).throttle,
  de: async () => (await import('./de.ts')).throttle,
})
