import type { ApiError } from '../../core/errors.ts'
import type { StepForm } from '../../core/http/pages/views/step-form.ts'
import type { MailboxView } from './mailbox-view.ts'
import { mailLimits } from './outbox.ts'

export interface RequestedMail {
  /** The id of its confirmation. */
  readonly id: string
  /** Epoch milliseconds. */
  readonly linkUntil: number
  readonly askedAt: number
}

export interface MailboxData {
  readonly begun?: RequestedMail
  readonly isResent?: boolean
}

/** Seconds until the outbox accepts the same mail again. */
export function resendSecondsAt(now: number, askedAt: number): number {
  const waited = Math.floor((now - askedAt) / 1000)
  return Math.max(0, mailLimits.sameMessageMs / 1000 - waited)
}

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
