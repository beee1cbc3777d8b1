import type { ApiError } from '../../core/errors.ts'
import type { StepForm } from '../../core/http/pages/views/step-form.ts'
import type { MailboxView } from './mailbox-view.ts'
import { mailLimits } from './outbox.ts'

/** The mail that a flow has asked for. */
export interface RequestedMail {
  /** Of its confirmation. */
  readonly id: string
  /** When its link ends, and when it was asked for last. Epoch milliseconds. */
  readonly linkUntil: number
  readonly askedAt: number
}

/** What a flow keeps about its mail. */
export interface MailboxData {
  readonly begun?: RequestedMail
  readonly isResent?: boolean
}

/** How long the same mail is not sent again, in seconds: the limit of the outbox. */
export function resendSecondsAt(now: number, askedAt: number): number {
  const waited = Math.floor((now - askedAt) / 1000)
  return Math.max(0, mailLimits.sameMessageMs / 1000 - waited)
}

/** The page that asks for the code of a mail, with what is wrong with the last request. */
export function mailboxView(
  form: StepForm,
  { begun, isResent = false }: MailboxData,
  { error, now }: { readonly error?: ApiError | undefined; readonly now: number },
): MailboxView {
  const { linkUntil = 0, askedAt = 0 } = begun ?? {}
  const isTooOften = error?.row === 'tooManyRequests'
  return {
    ...form,
    linkUntil,
    resendSeconds: resendSecondsAt(now, askedAt),
    problem: isTooOften ? 'too_often' : error ? 'code' : null,
    retryAfterSeconds: error?.retryAfterSeconds ?? null,
    isResent,
  }
}
