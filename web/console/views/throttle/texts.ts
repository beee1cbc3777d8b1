import { areaTexts } from '../../texts.ts'

export const throttleTexts = areaTexts({
  en: async () => (await import('../../../languages/en/console/throttle.ts')).throttle,
  de: async () => (await import('../../../languages/de/console/throttle.ts')).throttle,
})
