import { areaTexts } from '../../texts.ts'

export const postsTexts = areaTexts({
  en: async () => (await import('../../../languages/en/console/posts.ts')).posts,
  de: async () => (await import('../../../languages/de/console/posts.ts')).posts,
})
