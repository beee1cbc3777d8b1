import { plural } from '../../languages/words.ts'

export const devices = {
  title: 'Remembered devices',
  summary: 'Where no code is asked for.',
  count: plural('en', {
    none: 'none is remembered',
    one: 'one is remembered',
    other: '# are remembered',
  }),
  explanation:
    'Your password alone signs in on these devices. If you do not know one of them, forget it, and then change your password.',
  none: 'No device is remembered.',
  rememberedAt: 'Remembered',
  lastUsed: 'Last used',
  until: 'Until',
  current: 'This device',
  forget: 'Forget',
  forgetOne: (device: string, address: string) => `Forget ${device}, ${address}`,
  forgetAll: 'Forget all devices',
  done: {
    device_forgotten: 'The device was forgotten. It will be asked for a code.',
    devices_forgotten: 'All devices were forgotten. They will be asked for a code.',
  },
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly devices: typeof devices
  }
}
