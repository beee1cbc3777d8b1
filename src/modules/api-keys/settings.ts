import { oneOf, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'

export const settings = {
  APP_PASSWORDS: oneOf({
    default: 'off',
    values: ['off', 'on'],
    doc: 'Whether people make app passwords, for programs that only know Basic: docs/keys.md.',
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

export function configure({ values }: Reading) {
  return { config: { appPasswords: { isOn: values.APP_PASSWORDS === 'on' } } }
}
