import { hook, service } from '../../core/module/service.ts'
import { type ClientRegistration, createClientRegistration } from './registration.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly clientRegistration: ClientRegistration
  }
}

export const services = [
  service({
    needs: ['clientAdmin'],
    makes: ['clientRegistration'],
    create: (needs) => ({ clientRegistration: createClientRegistration(needs) }),
  }),
]

export const hooks = [
  hook('providerMetadata', [], ({ config }) =>
    config.clientRegistration.isOn
      ? { registration_endpoint: `${config.baseUrl}/oauth/register` }
      : {},
  ),
]
