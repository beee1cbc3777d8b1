import type { StepForm } from '../../core/http/pages/views/step-form.ts'

/** What each page shows that says that a mail is on its way, and asks for its code. */
export interface MailboxView extends StepForm {
  /** Epoch milliseconds. */
  readonly linkUntil: number
  /** How long no other mail is sent. */
  readonly resendSeconds: number
  readonly problem: 'code' | 'too_often' | null
  /** After too many requests. */
  readonly retryAfterSeconds: number | null
  readonly isResent: boolean
}
