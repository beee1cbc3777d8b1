import { areaTexts } from '../../texts.ts'
import { withEvents } from '../../with-events.ts'

export const accountTexts = areaTexts({
  en: () =>
    withEvents(
      'en',
      import('./en.ts').then(({ account }) => account),
    ),
  de: () =>
    withEvents(
      'de',
      import('./de.ts').then(({ account }) => account),
    ),
})
