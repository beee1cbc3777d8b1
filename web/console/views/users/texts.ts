import { areaTexts } from '../../texts.ts'

export const usersTexts = areaTexts({
  en: async () => (await import('./en.ts')).users,
  de: async () => (await import('./de.ts')).users,
})
