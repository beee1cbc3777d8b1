import { oneOf, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'

export const settings = {
  USERS_POLICY: oneOf({
    default: 'roles',
    values: ['roles', 'administrators', 'authenticated', 'open'],
    doc: "Who may call the users resource: by role and ownership; administrators, and owners for their own row; any caller; or anyone (not in production). Only its owner or an ADMIN may change or remove the row of an ADMIN's account.",
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

export function configure({ values }: Reading) {
  return {
    config: {
      users: { policy: values.USERS_POLICY },
    },
    mistakes:
      values.NODE_ENV === 'production' && values.USERS_POLICY === 'open'
        ? ['USERS_POLICY must not be open in production']
        : [],
  }
}
