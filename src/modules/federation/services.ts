import type { FastifyRequest } from 'fastify'
import { hook, service } from '../../core/module/service.ts'
import { endBearer } from '../tokens/authenticator.ts'
import { type ExternalBearer, externalBearer } from './authenticator.ts'
import { createFlows, type Flows } from './flow.ts'
import { createIdentities, type Identities } from './identities.ts'
import { sections } from './personal-data.ts'
import { linkedProviders } from './prove.ts'
import { createProviders, type Providers } from './providers.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly endBearer: (request: FastifyRequest) => Promise<unknown>
    readonly externalBearer: ExternalBearer
    readonly flows: Flows
    readonly identities: Identities
    readonly providers: Providers
  }
}

export const services = [
  service({
    needs: ['accounts'],
    makes: ['identities'],
    create: (needs) => ({ identities: createIdentities(needs) }),
  }),
  service({
    makes: ['providers'],
    create: (needs) => ({ providers: createProviders(needs) }),
  }),
  service({
    needs: ['identities', 'providers', 'requirements', 'revocations'],
    makes: ['externalBearer'],
    create: (needs) => ({ externalBearer: externalBearer(needs) }),
  }),
  service({
    needs: ['accounts', 'keys'],
    makes: ['flows'],
    create: (needs) => ({ flows: createFlows(needs) }),
  }),
  service({
    needs: ['revocations', 'rotation', 'tokens', 'externalBearer'],
    makes: ['endBearer'],
    create: ({ externalBearer: external, ...needs }) => {
      const endOwn = endBearer(needs)
      return {
        endBearer: async (request) => (await external.end(request)) || (await endOwn(request)),
      }
    },
  }),
]

export const hooks = [
  hook('waysIn', ['identities'], ({ identities }) => async (userId) => ({
    identities: (await identities.of(userId)).length,
  })),
  hook(
    'hasProvider',
    ['identities', 'providers'],
    ({ identities, providers }) =>
      async (userId) =>
        (await linkedProviders({ identities, providers }, { userId })).length > 0,
  ),
  hook('personSections', [], () => sections),
]
