import { Count, exactly, Flag, Seconds, Text, Time } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import { Counters } from '../../core/measurements/counters.ts'
import { counted, gauge } from '../../core/measurements/family.ts'
import { type Monitoring, statusPart } from '../../core/module/monitoring.ts'

export const mailResults = () =>
  new Counters(['sent', 'deferred', 'failed', 'expired', 'cancelled'].map((result) => [result]))

/** Null without a mail server. */
export const relay = (): { takesMail: (() => boolean) | null } => ({ takesMail: null })

export const monitoring: Monitoring = {
  status: [
    statusPart({
      name: 'mail',
      schema: exactly({
        enabled: {
          ...Flag,
          description: 'Whether mail is sent, or in development written to files',
        },
        server: { ...Flag, description: 'Whether SMTP_URL names a mail server' },
        waiting: Count,
        failed: { ...Count, description: 'Given up, and still kept' },
        oldest_waiting_seconds: { ...Seconds, description: '0: none waits' },
        trouble: {
          anyOf: [
            exactly({
              since: Time,
              response: { ...Text, description: 'What the mail server said at last' },
            }),
            { type: 'null' },
          ],
          description: 'Null while the mail server takes mail',
        },
      }),
      example: {
        ...{ enabled: true, server: true, waiting: 0, failed: 0 },
        ...{ oldest_waiting_seconds: 0, trouble: null },
      },
      async read({ config, mailAdmin, mailer }) {
        const trouble = mailer.trouble()
        return {
          enabled: config.mail.isOn,
          server: config.mail.server !== undefined,
          waiting: await mailAdmin.count({ state: 'waiting' }),
          failed: await mailAdmin.count({ state: 'failed' }),
          oldest_waiting_seconds: await mailer.oldestWaitingSeconds(),
          trouble: trouble && { since: isoTime(trouble.since), response: trouble.response },
        }
      },
    }),
  ],
  processMetrics({ measurements }, worker) {
    const takesMail = measurements.of(relay).takesMail?.() ?? null
    return [
      counted(
        'gatehouse_mails_total',
        'Mails by result: sent, deferred (to be tried again), failed, expired, cancelled.',
        ['result'],
        measurements.of(mailResults).entries(),
      ),
      gauge(
        'gatehouse_mail_relay_up',
        'Whether the mail server took the last mail (1) or takes none (0).',
        takesMail === null ? [] : [{ value: takesMail ? 1 : 0, labels: { worker } }],
      ),
    ]
  },
  serviceMetrics:
    ({ mailer }) =>
    async () => {
      const seconds = await mailer.oldestWaitingSeconds().catch(() => null)
      return [
        gauge(
          'gatehouse_mail_oldest_waiting_seconds',
          'Age of the oldest mail that is not sent yet; 0 if none waits.',
          seconds === null ? [] : [{ value: seconds }],
        ),
      ]
    },
  series: [
    {
      name: 'mails',
      labels: ['result'],
      description: 'Mails by result: sent, deferred, failed, expired, cancelled',
      counted: (measurements) => measurements.of(mailResults).entries(),
    },
  ],
  watchedSeries: ['mails|sent', 'mails|failed'],
}
