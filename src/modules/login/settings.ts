import { oneOf, type Values } from '../../core/config/kinds.ts'
import type { Group, Reading } from '../../core/config/load.ts'

/** Cookie session, token, or access and refresh token. */
export const loginModes = ['session', 'token', 'pair'] as const
export type LoginMode = (typeof loginModes)[number]

export const settings = {
  LOGIN_FORM_MODE: oneOf({
    default: 'session',
    values: loginModes,
    doc: 'The result of a login by form that names no mode.',
  }),
  LOGIN_JSON_MODE: oneOf({
    default: 'token',
    values: loginModes,
    doc: 'The result of a login by JSON that names no mode.',
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface LoginConfig extends Group<typeof configure, 'login'> {}
}

export function configure({ values }: Reading) {
  return {
    config: {
      login: { formMode: values.LOGIN_FORM_MODE, jsonMode: values.LOGIN_JSON_MODE },
    },
  }
}
