import { areaTexts } from '../../texts.ts'

export const keysTexts = areaTexts({
  en: async () => (await import('../../../languages/en/console/keys.ts')).keys,
  de: async () => (await import('../../../languages/de/console/keys.ts')).keys,
})
