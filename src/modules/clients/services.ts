import { service } from '../../core/module/service.ts'
import { type Clients, createClients } from './clients.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly clients: Clients
  }
}

export const services = [
  service({
    makes: ['clients'],
    create: (needs) => ({ clients: createClients(needs) }),
  }),
]
