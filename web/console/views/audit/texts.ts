import { areaTexts } from '../../texts.ts'
import { withEvents } from '../../with-events.ts'

export const auditTexts = areaTexts({
  en: () =>
    withEvents(
      'en',
      import('../../../languages/en/console/audit.ts').then(({ audit }) => audit),
    ),
  de: () =>
    withEvents(
      'de',
      import('../../../languages/de/console/audit.ts').then(({ audit }) => audit),
    ),
})
