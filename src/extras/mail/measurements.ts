import { Counters } from '../../core/measurements/counters.ts'

/** Mails by result: of the attempts to send them, or their end without one. */
export const mailResults = () =>
  new Counters(['sent', 'deferred', 'failed', 'expired', 'cancelled'].map((result) => [result]))

/** Whether the mail server takes mail; null where there is none. */
export const relay = (): { takesMail: (() => boolean) | null } => ({ takesMail: null })
