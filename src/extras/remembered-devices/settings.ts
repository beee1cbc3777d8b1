import { integer, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'

export const settings = {
  REMEMBER_DEVICE_DAYS: integer({
    default: 30,
    min: 0,
    doc: 'How long a device can stand in for the second factor on the sign-in page, if its owner wants that; never for roles of REQUIRE_SECOND_FACTOR. 0: no device does. Days.',
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

export function configure({ values }: Reading) {
  return { config: { rememberedDevices: { days: values.REMEMBER_DEVICE_DAYS } } }
}
