import { areaTexts } from '../../texts.ts'
import { withEvents } from '../../with-events.ts'

export const whyTexts = areaTexts({
  en: () =>
    withEvents(
      'en',
      import('./en.ts').then(({ why }) => why),
    ),
  de: () =>
    withEvents(
      'de',
      import('./de.ts').then(({ why }) => why),
    ),
})
