import { integer, secret, text, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Group, Reading } from '../../core/config/load.ts'
import { passwordRefusal } from '../../core/lib/password.ts'
import { canonicalUsername, type Username } from '../../core/lib/username.ts'

export const settings = {
  ADMIN_USERNAME: {
    ...text({
      default: 'admin',
      doc: 'The first administrator, created at the first start.',
      check: (value) => {
        if (canonicalUsername(value) === null) throw new Error('is not a valid username')
      },
    }),
    isForFirstStart: true,
  },
  ADMIN_PASSWORD: secret({
    shown: 'random: shown once at a terminal, else in `DATA_DIR/first-password`',
    doc: 'Its password. Used at the first start only.',
  }),
  LOGIN_LOCK_AFTER: integer({
    default: 10,
    min: 0,
    doc: 'Failed logins in a row, over all addresses, that lock an account for some time; 0: never. Its sessions and tokens stay valid.',
  }),
  LOGIN_LOCK_SECONDS: integer({
    default: 1800,
    min: 1,
    doc: 'How long that lock lasts; an administrator can lift it. Seconds.',
  }),
}

/** By the module that reserves the names. */
export type ReservedUsernames = Readonly<Record<string, readonly Username[]>>
const reservedUsernames: ReservedUsernames = {}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
  interface LoginConfig extends Group<typeof configure, 'login'> {}
}

export function configure({ values }: Reading) {
  const { ADMIN_PASSWORD: password, ADMIN_USERNAME: username, PASSWORD_MIN_LENGTH } = values
  const refusal = password && passwordRefusal(password.reveal(), PASSWORD_MIN_LENGTH)
  return {
    config: {
      admin: { username, password },
      reservedUsernames,
      login: { lock: { after: values.LOGIN_LOCK_AFTER, seconds: values.LOGIN_LOCK_SECONDS } },
    },
    mistakes: refusal ? [`ADMIN_PASSWORD ${refusal}`] : [],
  }
}
