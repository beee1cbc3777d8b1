import { oneOf, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'

export const settings = {
  CLIENT_REGISTRATION: oneOf({
    default: 'off',
    values: ['off', 'token'],
    doc: 'Whether applications register themselves (RFC 7591), with a token of an administrator: docs/applications.md.',
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

export function configure({ values }: Reading) {
  return { config: { clientRegistration: { isOn: values.CLIENT_REGISTRATION === 'token' } } }
}
