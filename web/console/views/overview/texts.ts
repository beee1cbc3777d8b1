import { areaTexts } from '../../texts.ts'
import { throttleTexts } from '../throttle/texts.ts'

/** Those of the throttle as well, whose tables the overview shows. */
export const overviewTexts = areaTexts({
  async en() {
    const [{ overview }, { events }] = await Promise.all([
      import('./en.ts'),
      import('made:overview-en'),
      throttleTexts.load('en'),
    ])
    return { ...overview, events }
  },
  async de() {
    const [{ overview }, { events }] = await Promise.all([
      import('./de.ts'),
      import('made:overview-de'),
      throttleTexts.load('de'),
    ])
    return { ...overview, events }
  },
})

export type OverviewTexts = ReturnType<typeof overviewTexts.use>
