import { service } from '../../core/module/service.ts'
import { type ClientAdmin, createClientAdmin } from './client-admin.ts'
import { type ClientSecrets, createClientSecrets } from './client-secrets.ts'
import { type Clients, createClients } from './clients.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly clients: Clients
    readonly clientAdmin: ClientAdmin
    readonly clientSecrets: ClientSecrets
  }
}

export const services = [
  service({
    makes: ['clients'],
    create: (needs) => ({ clients: createClients(needs) }),
  }),
  service({
    needs: ['clients'],
    makes: ['clientAdmin'],
    create: (needs) => ({ clientAdmin: createClientAdmin(needs) }),
  }),
  service({
    needs: ['clients', 'clientLimits'],
    makes: ['clientSecrets'],
    create: (needs) => ({ clientSecrets: createClientSecrets(needs) }),
  }),
]
