import { integer, type Values } from '../../core/config/kinds.ts'
import type { Group, Reading } from '../../core/config/load.ts'

export const settings = {
  LOGIN_ATTEMPTS: integer({
    default: 5,
    min: 0,
    doc: 'Failed logins per username and client address before 429; 0: no limit.',
  }),
  LOGIN_WINDOW_SECONDS: integer({
    default: 900,
    min: 1,
    doc: 'The sliding window of that count. Seconds.',
  }),
  LOGIN_IP_ATTEMPTS: integer({
    formerly: 'LOGIN_ADDRESS_ATTEMPTS',
    default: 20,
    min: 0,
    doc: 'Failed logins per client address (IPv6: per /64), over all usernames, before 429; 0: no limit.',
  }),
  LOGIN_ADDRESS_WINDOW_SECONDS: integer({
    default: 3600,
    min: 1,
    doc: 'The sliding window of that count. Seconds.',
  }),
  LOGIN_PROOF_OF_WORK_AFTER: integer({
    formerly: 'LOGIN_CAPTCHA_AFTER',
    default: 0,
    min: 0,
    doc: 'Failed logins per username and client address after which a login needs a proof of work, and Basic is refused; 0: never.',
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface LoginConfig extends Group<typeof configure, 'login'> {}
}

export function configure({ values }: Reading) {
  return {
    config: {
      login: {
        perUsername: {
          attempts: values.LOGIN_ATTEMPTS,
          windowSeconds: values.LOGIN_WINDOW_SECONDS,
        },
        perAddress: {
          attempts: values.LOGIN_IP_ATTEMPTS,
          windowSeconds: values.LOGIN_ADDRESS_WINDOW_SECONDS,
        },
        proofOfWorkAfter: values.LOGIN_PROOF_OF_WORK_AFTER,
      },
    },
  }
}
