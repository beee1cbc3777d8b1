import { eventType } from '../../core/events/types.ts'

type OfUser = { readonly user_id: number }

export const emailVerificationRequested = eventType<OfUser & { readonly change: boolean }>(
  'email_verification_requested',
  {
    formerly: 'email_verification_begun',
    groups: [],
    description: 'a link is asked for that verifies an address',
    fields: { user_id: '', change: 'whether the account has another verified address' },
    words: { en: 'Verification of an address asked for', de: 'Bestätigung einer Adresse verlangt' },
  },
)

export const emailVerificationCancelled = eventType<OfUser>('email_verification_cancelled', {
  groups: [],
  description: 'an owner gives up an address that waits for its proof',
  fields: { user_id: '' },
  words: { en: 'Verification of an address given up', de: 'Bestätigung einer Adresse aufgegeben' },
})

export const emailVerified = eventType<OfUser>('email_verified', {
  groups: [],
  description: 'the first address of an account is verified, or the present one again',
  fields: { user_id: '' },
  words: { en: 'Address verified', de: 'Adresse bestätigt' },
})

export const emailChanged = eventType<OfUser>('email_changed', {
  groups: ['credentials'],
  notice: { message: 'email_changed', isMailed: false },
  description: 'another verified address takes the place of the one before',
  fields: { user_id: '' },
  words: { en: 'Verified address changed', de: 'Bestätigte Adresse geändert' },
})

export const emailRestored = eventType<OfUser & { readonly password_removed: boolean }>(
  'email_restored',
  {
    groups: ['credentials'],
    notice: { message: 'email_changed', isMailed: false },
    description:
      'the link that was mailed to the former address restores that address; all logins end, and what was added since the change was requested is removed, with events of its own',
    fields: { user_id: '', password_removed: 'a password that was set since then is void' },
    words: { en: 'Former address restored', de: 'Frühere Adresse wiederhergestellt' },
  },
)

export const emailRemoved = eventType<OfUser>('email_removed', {
  groups: ['accounts'],
  notice: { message: 'email_changed', isMailed: false },
  inOverview: true,
  description: 'an administrator removes a verified address',
  fields: { user_id: '' },
  words: { en: 'Verified address removed', de: 'Bestätigte Adresse entfernt' },
})

export const languageChanged = eventType<OfUser & { readonly language: string | null }>(
  'language_changed',
  {
    groups: [],
    description: 'an owner chooses the language of pages and mail',
    fields: { user_id: '', language: 'null for that of the browser' },
    words: { en: 'Language chosen', de: 'Sprache gewählt' },
  },
)
