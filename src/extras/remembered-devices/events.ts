import { eventType } from '../../core/events/types.ts'

type OfUser = { readonly user_id: number }

export const deviceRemembered = eventType<OfUser>('mfa_device_remembered', {
  groups: ['credentials'],
  notice: { message: 'device_remembered' },
  description:
    'the owner of an account has proved the second factor, and wants no more codes on this device',
  fields: { user_id: '' },
  words: { en: 'Device remembered', de: 'Gerät gemerkt' },
})

export const deviceUsed = eventType<OfUser>('mfa_device_used', {
  groups: ['logins'],
  description: 'in addition to the login: a remembered device took the place of the second factor',
  fields: { user_id: '' },
  words: {
    en: 'Remembered device used',
    de: 'Gerät benutzt',
  },
})

export const devicesForgotten = eventType<
  OfUser & { readonly count: number; readonly reason: 'owner' | 'administrator' | 'account' }
>('mfa_device_forgotten', {
  groups: ['credentials'],
  description: 'remembered devices are asked for the second factor again',
  fields: {
    user_id: '',
    count: 'of the devices',
    reason:
      '`owner`, `administrator`, or `account`: all logins have ended, or the roles or the e-mail address have changed',
  },
  words: { en: 'Remembered device forgotten', de: 'Gerät vergessen' },
})
