import type { RememberedDevicesViews } from '../../../src/extras/remembered-devices/pages/views.ts'
import { at, own } from '../own-account/examples.ts'
import type { ExamplesOf } from '../page.ts'

const day = 86_400_000

export const examples: ExamplesOf<RememberedDevicesViews> = {
  'account-devices': {
    none: { ...own, devices: [] },
    several: {
      ...own,
      devices: [
        {
          ...{ id: 'mZ1c0GQ2n5v8y3b6', isCurrent: true, browser: 'Firefox', system: 'Linux' },
          address: '203.0.113.9',
          ...{ createdAt: at, lastUsedAt: at + day, endsAt: at + 30 * day },
        },
        {
          ...{ id: 'nZ1c0GQ2n5v8y3b6', isCurrent: false, browser: null, system: null },
          address: '2001:db8::7',
          ...{ createdAt: at - day, lastUsedAt: at, endsAt: at + 29 * day },
        },
      ],
    },
    forgotten: { ...own, done: 'device_forgotten', devices: [] },
  },
}
