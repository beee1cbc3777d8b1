import { service } from '../../core/module/service.ts'
import { type ClientSecrets, createClientSecrets } from './client-secrets.ts'
import { type Clients, createClients } from './clients.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly clients: Clients
    readonly clientSecrets: ClientSecrets
  }
}

export const services = [
  service({
    makes: ['clients'],
    create: (needs) => ({ clients: createClients(needs) }),
  }),
  service({
    needs: ['clients', 'clientLimits'],
    makes: ['clientSecrets'],
    create: (needs) => ({ clientSecrets: createClientSecrets(needs) }),
  }),
]
