import { integer, type Values } from '../../core/config/kinds.ts'
import type { Group, Reading } from '../../core/config/load.ts'

const day = 86_400

export const settings = {
  EMAIL_VERIFICATION_SECONDS: integer({
    formerly: 'VERIFICATION_SECONDS',
    default: day,
    min: 600,
    max: 7 * day,
    doc: 'Life of a link that verifies a mail address, at sign-up as well. Seconds.',
  }),
  EMAIL_CHANGE_SECONDS: integer({
    default: 3600,
    min: 300,
    max: day,
    doc: 'Life of a link that confirms another mail address of an account. Seconds.',
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Lifetimes extends Group<typeof configure, 'confirmations'> {}
}

export function configure({ values }: Reading) {
  return {
    config: {
      confirmations: {
        verificationSeconds: values.EMAIL_VERIFICATION_SECONDS,
        emailChangeSeconds: values.EMAIL_CHANGE_SECONDS,
      },
    },
  }
}
