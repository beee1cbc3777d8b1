import { areaTexts } from '../../texts.ts'
import { withEvents } from '../../with-events.ts'
import { throttleTexts } from '../throttle/texts.ts'

/** Those of the throttle as well, whose tables the overview shows. */
export const overviewTexts = areaTexts({
  async en() {
    const own = import('./en.ts').then(({ overview }) => overview)
    await throttleTexts.load('en')
    return withEvents(own, import('../../../languages/en/console/events.ts'))
  },
  async de() {
    const own = import('./de.ts').then(({ overview }) => overview)
    await throttleTexts.load('de')
    return withEvents(own, import('../../../languages/de/console/events.ts'))
  },
})

export type OverviewTexts = ReturnType<typeof overviewTexts.use>
