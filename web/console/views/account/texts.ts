import { areaTexts } from '../../texts.ts'
import { withEvents } from '../../with-events.ts'

export const accountTexts = areaTexts({
  en: () =>
    withEvents(
      import('../../../languages/en/console/account.ts').then(({ account }) => account),
      import('../../../languages/en/console/events.ts'),
    ),
  de: () =>
    withEvents(
      import('../../../languages/de/console/account.ts').then(({ account }) => account),
      import('../../../languages/de/console/events.ts'),
    ),
})
