import { service } from '../../core/module/service.ts'
import { type ClientAdmin, createClientAdmin } from './client-admin.ts'
import { type Clients, createClients } from './clients.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly clients: Clients
    readonly clientAdmin: ClientAdmin
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
]
