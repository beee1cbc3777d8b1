import type { Problem } from '../../core/errors.ts'

export const mailUnavailable: Problem = {
  name: 'mailUnavailable',
  status: 503,
  error: 'Mail is not configured',
  before: 'serviceUnavailable',
  isUnconfigured: true,
  remedy: 'set SMTP_URL (docs/mail.md)',
  words: {
    en: 'No mail is sent: SMTP_URL and MAIL_FROM are not set.',
    de: 'Es wird keine E-Mail gesendet: SMTP_URL und MAIL_FROM sind nicht gesetzt.',
  },
}

export const mailNotFound: Problem = {
  name: 'mailNotFound',
  status: 404,
  error: 'Mail not found',
  words: {
    en: 'There is no such mail: it is removed some time after it was sent.',
    de: 'Diese E-Mail gibt es nicht: Einige Zeit nach dem Versand wird sie entfernt.',
  },
}

export const mailClosed: Problem = {
  name: 'mailClosed',
  status: 409,
  error: 'Mail already closed',
  words: {
    en: 'The mail was sent, is being sent, or has ended.',
    de: 'Die E-Mail wurde gesendet, wird gerade gesendet oder ist beendet.',
  },
}
