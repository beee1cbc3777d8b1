import { areaTexts } from '../../texts.ts'
import { withEvents } from '../../with-events.ts'

export const auditTexts = areaTexts({
  en: () =>
    withEvents(
      'en',
      import('./en.ts').then(({ audit }) => audit),
    ),
  de: () =>
    withEvents(
      'de',
      import('./de.ts').then(({ audit }) => audit),
    ),
})
