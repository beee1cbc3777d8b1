import type { StepForm } from '../../core/http/pages/views/step-form.ts'

export interface MailboxView extends StepForm {
  /** Epoch milliseconds. */
  readonly linkUntil: number
  readonly resendSeconds: number
  readonly problem: 'code' | 'too_often' | null
  readonly retryAfterSeconds: number | null
  readonly isResent: boolean
}
