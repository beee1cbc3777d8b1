import { areaTexts } from './texts.ts'

/** The texts of the frame and of the components, and those that the pages share. */
export const frameTexts = areaTexts({
  en: async () => (await import('../languages/en/console/frame.ts')).frame,
  de: async () => (await import('../languages/de/console/frame.ts')).frame,
})
