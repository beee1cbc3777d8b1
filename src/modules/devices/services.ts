import { hook, service } from '../../core/module/service.ts'
import { createDevices, type Devices } from './devices.ts'
import { sections } from './personal-data.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly devices: Devices
  }
}

export const services = [
  service({
    needs: ['keys'],
    makes: ['devices'],
    create: (needs) => ({ devices: createDevices(needs) }),
  }),
]

export const hooks = [
  hook('onSignedIn', ['devices'], ({ devices }) => devices.signedIn),
  hook('personSections', [], () => sections),
]
