import { areaTexts } from '../../texts.ts'
import { withEvents } from '../../with-events.ts'

export const accountTexts = areaTexts({
  en: () =>
    withEvents(
      'en',
      import('../../../languages/en/console/account.ts').then(({ account }) => account),
    ),
  de: () =>
    withEvents(
      'de',
      import('../../../languages/de/console/account.ts').then(({ account }) => account),
    ),
})
