import { areaTexts } from '../../texts.ts'
import type { webhooks as english } from './en.ts'

type WebhooksTexts = typeof english & {
  /** What each event says that a webhook can choose by its name. */
  readonly eventWords: Words
  /** What each type of a message says. */
  readonly typeWords: Words
}

type Words = Readonly<Record<string, string>>

/** The texts of the views of webhooks, and the words for each event. */
export const webhooksTexts = areaTexts<WebhooksTexts>({
  async en() {
    const [{ webhooks }, { events }] = await Promise.all([
      import('./en.ts'),
      import('made:events-en'),
    ])
    return { ...webhooks, eventWords: events, typeWords: { ...events, ...webhooks.messageWords } }
  },
  async de() {
    const [{ webhooks }, { events }] = await Promise.all([
      import('./de.ts'),
      import('made:events-de'),
    ])
    return { ...webhooks, eventWords: events, typeWords: { ...events, ...webhooks.messageWords } }
  },
})
