import { areaTexts } from '../../texts.ts'
import { withEvents } from '../../with-events.ts'

export const whyTexts = areaTexts({
  en: () =>
    withEvents(
      'en',
      Promise.all([import('../../../languages/en/console/why.ts'), import('made:reasons-en')]).then(
        ([{ why }, words]) => ({ ...why, ...words }),
      ),
    ),
  de: () =>
    withEvents(
      'de',
      Promise.all([import('../../../languages/de/console/why.ts'), import('made:reasons-de')]).then(
        ([{ why }, words]) => ({ ...why, ...words }),
      ),
    ),
})
