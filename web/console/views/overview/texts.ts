import { areaTexts } from '../../texts.ts'
import { withEvents } from '../../with-events.ts'
import { throttleTexts } from '../throttle/texts.ts'

/** Those of the throttle as well, whose tables the overview shows. */
export const overviewTexts = areaTexts({
  async en() {
    const own = import('./en.ts').then(({ overview }) => overview)
    const [texts] = await Promise.all([withEvents('en', own), throttleTexts.load('en')])
    return texts
  },
  async de() {
    const own = import('./de.ts').then(({ overview }) => overview)
    const [texts] = await Promise.all([withEvents('de', own), throttleTexts.load('de')])
    return texts
  },
})

export type OverviewTexts = ReturnType<typeof overviewTexts.use>
