import { ApiError } from '../../core/errors.ts'
import type { Needs } from '../../core/module/services.ts'
import { createCircuit } from './circuit.ts'
import { relay } from './monitoring.ts'
import { mailStore } from './queue.ts'
import type { SmtpTimeouts } from './smtp.ts'
import { createTransport } from './transport.ts'
import { createMailWorker, type MailWorker } from './worker.ts'

export interface Mailer extends Pick<MailWorker, 'expire' | 'purge' | 'sendNow'> {
  run(stop?: AbortSignal): Promise<void>
  /** Whether polling is too early: once a second, or after an added mail. */
  isIdle(): boolean
  /** 0 if none waits. @throws DatabaseUnavailable */
  oldestWaitingSeconds(): Promise<number>
  /** Null while the server accepts mail. */
  trouble(): { readonly since: number; readonly response: string } | null
  /**
   * For changes that the owner can undo only by mail. @throws ApiError serviceUnavailable if the
   * mail server accepts no mail, or notices are late
   */
  assertSends(): Promise<void>
  /**
   * Connects to the mail server and logs problems: certificate, login, name. Never throws: the
   * service starts without mail.
   */
  check(): Promise<void>
}

export type MailerDeps = Pick<
  Needs,
  | 'asyncCommitDb'
  | 'clock'
  | 'config'
  | 'db'
  | 'events'
  | 'keys'
  | 'log'
  | 'measurements'
  | 'outbox'
  | 'random'
> & {
  readonly confirmations: Pick<Needs['confirmations'], 'secretsOf'>
  readonly timeouts?: SmtpTimeouts
}

const lookEveryMs = 1000
/** A notice due for longer means that the queue is full or sending fails. */
const lateMs = 600_000

export function createMailer(deps: MailerDeps): Mailer {
  const { clock, config, log, outbox } = deps
  const transport = createTransport(deps)
  const circuit = createCircuit(deps)
  const worker = createMailWorker({
    ...deps,
    circuit,
    transport,
    render: async () => (await import('./messages/render.ts')).render,
  })
  if (config.mail.server) deps.measurements.of(relay).takesMail = () => circuit.trouble() === null
  let isAwake = true
  let lookedAt = Number.NEGATIVE_INFINITY
  let isTroubled = false
  outbox.onAdded(() => {
    isAwake = true
  })

  return {
    expire: worker.expire,
    purge: worker.purge,
    sendNow: worker.sendNow,
    trouble: circuit.trouble,

    async oldestWaitingSeconds() {
      const at = await mailStore(deps.db).oldestWaiting()
      return at === null ? 0 : Math.max(0, (clock.now() - at) / 1000)
    },

    async assertSends() {
      const now = clock.now()
      const since = circuit.trouble()?.since ?? (await mailStore(deps.db).lateNotice(now - lateMs))
      if (since === null) return
      const reason = { code: 'mail_not_sent', facts: { since } } as const
      throw new ApiError('serviceUnavailable', { retryAfterSeconds: lateMs / 1000, reason })
    },

    isIdle() {
      if (transport === null || circuit.isOpen()) return true
      const now = clock.now()
      return !isAwake && now >= lookedAt && now < lookedAt + lookEveryMs
    },

    async run(stop) {
      isAwake = false
      lookedAt = clock.now()
      try {
        await worker.run(stop)
      } finally {
        tellTrouble()
      }
    },

    async check() {
      if (transport === null) {
        log.warn('mail is off: SMTP_URL is not set, and what needs mail is left out')
        return
      }
      try {
        const session = await transport.open()
        session.close()
      } catch (error) {
        const response = error instanceof Error ? error.message : ''
        log.warn({ response, server: config.mail.server?.host }, 'the mail server takes no mail')
      }
    },
  }

  /** Only on changes: every retry fails the same way. */
  function tellTrouble(): void {
    const trouble = circuit.trouble()
    if ((trouble !== null) === isTroubled) return
    isTroubled = trouble !== null
    if (trouble) log.warn({ response: trouble.response }, 'the mail server takes no mail')
    else log.info('the mail server takes mail again')
  }
}
