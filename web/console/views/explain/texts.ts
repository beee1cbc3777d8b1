import { areaTexts } from '../../texts.ts'
import { withEvents } from '../../with-events.ts'

export const whyTexts = areaTexts({
  en: () =>
    withEvents(
      'en',
      Promise.all([import('./en.ts'), import('made:reasons-en')]).then(([{ why }, words]) => ({
        ...why,
        ...words,
      })),
    ),
  de: () =>
    withEvents(
      'de',
      Promise.all([import('./de.ts'), import('made:reasons-de')]).then(([{ why }, words]) => ({
        ...why,
        ...words,
      })),
    ),
})
