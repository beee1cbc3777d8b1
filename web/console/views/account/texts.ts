import { areaTexts } from '../../texts.ts'
import { withEvents } from '../../with-events.ts'

export const accountTexts = areaTexts({
  en: () =>
    withEvents(
      import('./en.ts').then(({ account }) => account),
      import('../../../languages/en/console/events.ts'),
    ),
  de: () =>
    withEvents(
      import('./de.ts').then(({ account }) => account),
      import('../../../languages/de/console/events.ts'),
    ),
})
