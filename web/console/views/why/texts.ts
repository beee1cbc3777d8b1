import { areaTexts } from '../../texts.ts'
import { withEvents } from '../../with-events.ts'

export const whyTexts = areaTexts({
  en: () =>
    withEvents(
      import('../../../languages/en/console/why.ts').then(({ why }) => why),
      import('../../../languages/en/console/events.ts'),
    ),
  de: () =>
    withEvents(
      import('../../../languages/de/console/why.ts').then(({ why }) => why),
      import('../../../languages/de/console/events.ts'),
    ),
})
