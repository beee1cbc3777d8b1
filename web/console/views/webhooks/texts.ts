import { areaTexts } from '../../texts.ts'

/** The texts of the views of webhooks, and the words for each event. */
export const webhooksTexts = areaTexts({
  async en() {
    const [{ webhooks }, { events }] = await Promise.all([
      import('../../../languages/en/console/webhooks.ts'),
      import('../../../languages/en/console/events.ts'),
    ])
    return { ...webhooks, eventWords: events }
  },
  async de() {
    const [{ webhooks }, { events }] = await Promise.all([
      import('../../../languages/de/console/webhooks.ts'),
      import('../../../languages/de/console/events.ts'),
    ])
    return { ...webhooks, eventWords: events }
  },
})
