import { areaTexts } from '../../texts.ts'

export const overviewTexts = areaTexts({
  async en() {
    const [{ overview }, { events }] = await Promise.all([
      import('./en.ts'),
      import('made:overview-en'),
    ])
    return { ...overview, events }
  },
  async de() {
    const [{ overview }, { events }] = await Promise.all([
      import('./de.ts'),
      import('made:overview-de'),
    ])
    return { ...overview, events }
  },
})

export type OverviewTexts = ReturnType<typeof overviewTexts.use>
