import { integer, oneOf, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Group, Reading } from '../../core/config/load.ts'
import { hasMail } from '../mail/settings.ts'

export const settings = {
  EMAIL_SIGN_IN: oneOf({
    formerly: 'SIGN_IN_BY_MAIL',
    default: 'off',
    values: ['off', 'on'],
    doc: 'Whether a link or a code that is mailed to the verified address of an account signs in, in place of the password. It is never a second factor.',
  }),
  SIGN_IN_CODE_SECONDS: integer({
    default: 600,
    min: 60,
    max: 600,
    doc: 'Life of a mailed code or link that signs in. Seconds.',
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
  interface Lifetimes extends Group<typeof configure, 'confirmations'> {}
}

export function configure({ values }: Reading) {
  return {
    config: {
      emailSignIn: values.EMAIL_SIGN_IN === 'on',
      confirmations: { signInSeconds: values.SIGN_IN_CODE_SECONDS },
    },
    mistakes:
      values.EMAIL_SIGN_IN === 'on' && !hasMail(values)
        ? ['EMAIL_SIGN_IN must be off without SMTP_URL']
        : [],
  }
}
