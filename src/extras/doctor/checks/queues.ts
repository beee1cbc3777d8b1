import { gatehouse } from '../../../core/hints/command-line.ts'
import { isoTime } from '../../../core/lib/clock.ts'
import type { Check, Found } from '../check.ts'
import type { InsideContext } from '../context.ts'
import { doctorStore } from '../store.ts'

const hourMs = 3_600_000
const lateMailMs = hourMs
const failingMs = hourMs

const mailQueue: Check<InsideContext> = {
  id: 'mail_queue',
  level: 'warning',
  passMessage: 'mail that is due is sent within the hour',
  why: 'Links and codes expire before they arrive.',
  mend: {
    do: `\`${gatehouse} mail list --state waiting\` shows what the server answered.`,
    setting: `${gatehouse} mail list --state waiting`,
  },
  async find({ clock, config, db }) {
    if (!config.mail.isOn) return []
    const { count, since } = await doctorStore(db).dueMails(clock.now())
    if (since === null || clock.now() - since < lateMailMs) return []
    return [{ what: `${count} mails are due, the first since ${isoTime(since)}.` }]
  },
}

const dayMs = 86_400_000

const expiredMail: Check<InsideContext> = {
  id: 'mail_expired',
  level: 'warning',
  passMessage: 'no mail has expired unsent in the last day',
  why: 'The person who asked for the link or the code never got it.',
  mend: {
    do: 'The list shows what the server answered. Without an answer, more mail was requested than MAIL_PER_MINUTE allows: raise the limit, or SIGN_UP=invitation if strangers flood the sign-up.',
    setting: `${gatehouse} mail list --state expired`,
  },
  async find({ clock, config, db }) {
    if (!config.mail.isOn) return []
    const expired = await doctorStore(db).expiredMails(clock.now() - dayMs)
    if (expired.length === 0) return []
    const each = expired.map(({ message, count }) => `${count} ${message}`).join(', ')
    return [{ what: `Mails have expired unsent in the last day: ${each}.` }]
  },
}

const webhooks: Check<InsideContext> = {
  id: 'webhooks',
  level: 'warning',
  passMessage: 'every endpoint of webhooks takes its events',
  why: 'Events wait for it and are given up after three days; what goes by them is not told.',
  mend: {
    do: 'Mend the receiver, then enable the endpoint and have its deliveries repeated.',
    setting: `${gatehouse} webhook enable ID && ${gatehouse} webhook repeat ID`,
  },
  async find({ clock, db }) {
    const failing = await doctorStore(db).failingEndpoints()
    return failing.flatMap(({ id, state, failing_since: since, status }): Found[] => {
      const mend = {
        setting: `${gatehouse} webhook enable ${id} && ${gatehouse} webhook repeat ${id}`,
      }
      const last = status === null ? 'no answer' : `status ${status}`
      if (state === 'failed') {
        return [
          { what: `The endpoint ${id} was disabled because it took nothing (${last}).`, mend },
        ]
      }
      if (since === null || clock.now() - since < failingMs) return []
      return [
        { what: `The endpoint ${id} has taken nothing since ${isoTime(since)} (${last}).`, mend },
      ]
    })
  },
}

export const queueChecks: readonly Check<InsideContext>[] = [mailQueue, expiredMail, webhooks]
