import { eventType } from '../../core/events/types.ts'

type OfUser = { readonly user_id: number }

export const mfaEnrolled = eventType<OfUser>('mfa_enrolled', {
  groups: ['credentials'],
  notice: { message: 'factor_added' },
  description: 'a second factor is confirmed: logins require it from now on',
  fields: { user_id: '' },
  words: { en: 'Second factor set up', de: 'Zweiter Faktor eingerichtet' },
})

export const mfaFail = eventType<{ readonly user_id: number | null }>('mfa_fail', {
  level: 'warn',
  groups: ['refusedLogins'],
  description: 'a code or a recovery code is wrong',
  fields: { user_id: '' },
  words: { en: 'Code of the second factor refused', de: 'Code des zweiten Faktors abgelehnt' },
})

export const mfaRecoveryCodeUsed = eventType<OfUser & { readonly left: number }>(
  'mfa_recovery_code_used',
  {
    groups: ['credentials'],
    notice: { message: 'recovery_code_used' },
    description: 'a recovery code takes the place of a code',
    fields: { user_id: '', left: 'how many are left' },
    words: { en: 'Recovery code used', de: 'Wiederherstellungscode benutzt' },
  },
)
export const mfaCodesRenewed = eventType<OfUser>('mfa_codes_renewed', {
  groups: ['credentials'],
  notice: { message: 'recovery_codes_renewed' },
  description: 'recovery codes are replaced',
  fields: { user_id: '' },
  words: { en: 'Recovery codes renewed', de: 'Wiederherstellungscodes erneuert' },
})

export const mfaRemoved = eventType<OfUser>('mfa_removed', {
  groups: ['credentials'],
  notice: { message: 'factor_removed' },
  description:
    'a second factor is removed, by its owner with a code or by an administrator without one',
  fields: { user_id: '' },
  words: { en: 'Second factor removed', de: 'Zweiter Faktor entfernt' },
})
