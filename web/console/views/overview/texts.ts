import { areaTexts } from '../../texts.ts'
import { withEvents } from '../../with-events.ts'
import { throttleTexts } from '../throttle/texts.ts'

/** Those of the throttle as well, whose tables the overview shows. */
export const overviewTexts = areaTexts({
  async en() {
    const own = import('./en.ts').then(({ overview }) => overview)
    await throttleTexts.load('en')
    return withEvents('en', own)
  },
  async de() {
    const own = import('./de.ts').then(({ overview }) => overview)
    await throttleTexts.load('de')
    return withEvents('de', own)
  },
})

export type OverviewTexts = ReturnType<typeof overviewTexts.use>
