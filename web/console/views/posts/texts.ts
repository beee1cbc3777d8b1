import { areaTexts } from '../../texts.ts'

export const postsTexts = areaTexts({
  en: async () => (await import('./en.ts')).posts,
  de: async () => (await import('./de.ts')).posts,
})
