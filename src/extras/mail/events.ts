import { eventType } from '../../core/events/types.ts'

/** A mail, by the id of its row; `user_id` is null if it is for no account. */
type MailFields = {
  readonly mail: string
  readonly message: string
  readonly user_id: number | null
}

/** The mail server has taken a mail. */
export const mailSent = eventType<MailFields>('mail_sent')

/** The mail server has refused a mail for good. */
export const mailFailed = eventType<MailFields & { readonly answer: string }>('mail_failed', 'warn')

/** A mail was not sent before its link or its code ended. */
export const mailExpired = eventType<MailFields>('mail_expired', 'warn')

/** The mail server knows no mailbox of the verified address of an account. */
export const mailUndeliverable = eventType<{ readonly user_id: number; readonly answer: string }>(
  'mail_address_undeliverable',
  'warn',
)

/** An administrator has a mail sent again, or at once. */
export const mailResent = eventType<MailFields>('mail_resent')

/** An administrator has withdrawn a mail that was not sent yet. */
export const mailCancelled = eventType<MailFields>('mail_cancelled')

/** An administrator has a test mail sent. */
export const mailTested = eventType<{ readonly mail: string }>('mail_tested')
