import { areaTexts } from '../../texts.ts'
import { withEvents } from '../../with-events.ts'

export const whyTexts = areaTexts({
  en: () =>
    withEvents(
      'en',
      import('../../../languages/en/console/why.ts').then(({ why }) => why),
    ),
  de: () =>
    withEvents(
      'de',
      import('../../../languages/de/console/why.ts').then(({ why }) => why),
    ),
})
