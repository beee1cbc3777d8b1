import { areaTexts } from '../../texts.ts'

export const importsTexts = areaTexts({
  en: async () => (await import('../../../languages/en/console/imports.ts')).imports,
  de: async () => (await import('../../../languages/de/console/imports.ts')).imports,
})
