import { eventType } from '../../core/events/types.ts'

type MailFields = {
  readonly mail: string
  readonly message: string
  readonly user_id: number | null
}
const mailFields = {
  mail: 'the id of its row',
  message: '',
  user_id: 'null if the mail is for no account',
}

export const mailSent = eventType<MailFields>('mail_sent', {
  groups: [],
  description: 'the mail server has taken a mail',
  fields: mailFields,
  words: { en: 'Mail sent', de: 'E-Mail gesendet' },
})

export const mailFailed = eventType<MailFields & { readonly answer: string }>('mail_failed', {
  level: 'warn',
  groups: ['service'],
  description: 'the mail server has refused a mail for good',
  fields: { ...mailFields, answer: '' },
  words: { en: 'Mail refused by the mail server', de: 'E-Mail vom Mailserver abgelehnt' },
})

export const mailExpired = eventType<MailFields>('mail_expired', {
  level: 'warn',
  groups: ['service'],
  description: 'a mail was not sent before its link or its code ended',
  fields: mailFields,
  words: {
    en: 'Mail not sent before it expired',
    de: 'E-Mail abgelaufen, ohne gesendet zu werden',
  },
})

export const mailUndeliverable = eventType<{ readonly user_id: number; readonly answer: string }>(
  'mail_address_undeliverable',
  {
    level: 'warn',
    groups: [],
    description: 'the mail server knows no mailbox of the verified address of an account',
    fields: { user_id: '', answer: 'of the server, without addresses' },
    words: { en: 'Mailbox unknown to its server', de: 'Postfach beim Mailserver unbekannt' },
  },
)

export const mailResent = eventType<MailFields>('mail_resent', {
  groups: ['administration'],
  description: 'an administrator has a mail sent again, or at once',
  fields: mailFields,
  words: { en: 'Mail sent again', de: 'E-Mail noch einmal gesendet' },
})

export const mailCancelled = eventType<MailFields>('mail_cancelled', {
  groups: ['administration'],
  description: 'an administrator has withdrawn a mail that was not sent yet',
  fields: mailFields,
  words: { en: 'Mail withdrawn', de: 'E-Mail zurückgezogen' },
})

export const mailTested = eventType<{ readonly mail: string }>('mail_tested', {
  groups: [],
  description: 'an administrator has a test mail sent',
  fields: { mail: '' },
  words: { en: 'Test mail sent', de: 'Test-E-Mail gesendet' },
})
