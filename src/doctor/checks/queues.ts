import { isoTime } from '../../kernel/clock.ts'
import type { Check, Found } from '../check.ts'
import type { Inside } from '../scene.ts'
import { doctorStore } from '../store.ts'

const hourMs = 3_600_000
const lateMailMs = hourMs
const failingMs = hourMs

const mailQueue: Check<Inside> = {
  id: 'mail_queue',
  level: 'warning',
  good: 'mail that is due is sent within the hour',
  why: 'Links and codes expire before they arrive.',
  mend: {
    do: '`gatehouse mail list --state waiting` shows what the server answered.',
    setting: 'gatehouse mail list --state waiting',
  },
  async find({ clock, config, db }) {
    if (!config.mail.isOn) return []
    const { count, since } = await doctorStore(db).dueMails(clock.now())
    if (since === null || clock.now() - since < lateMailMs) return []
    return [{ what: `${count} mails are due, the first since ${isoTime(since)}.` }]
  },
}

const webhooks: Check<Inside> = {
  id: 'webhooks',
  level: 'warning',
  good: 'every endpoint of webhooks takes its events',
  why: 'Events wait for it and are given up after three days; what goes by them is not told.',
  mend: {
    do: 'Mend the receiver, then enable the endpoint and have its deliveries repeated.',
    setting: 'gatehouse webhook enable ID && gatehouse webhook repeat ID',
  },
  async find({ clock, db }) {
    const failing = await doctorStore(db).failingEndpoints()
    return failing.flatMap(({ id, state, failing_since: since, status }): Found[] => {
      const mend = {
        setting: `gatehouse webhook enable ${id} && gatehouse webhook repeat ${id}`,
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

export const queueChecks: readonly Check<Inside>[] = [mailQueue, webhooks]
