import { areaTexts } from '../../texts.ts'
import { withEvents } from '../../with-events.ts'

export const whyTexts = areaTexts({
  en: () =>
    withEvents(
      import('./en.ts').then(({ why }) => why),
      import('../../../languages/en/console/events.ts'),
    ),
  de: () =>
    withEvents(
      import('./de.ts').then(({ why }) => why),
      import('../../../languages/de/console/events.ts'),
    ),
})
