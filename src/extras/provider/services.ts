import { subscribersOf } from '../../core/module/hooks.ts'
import { hook, service } from '../../core/module/service.ts'
import { clientRemoved } from '../../modules/clients/events.ts'
import { accessesOf, removeClientAccess } from './access.ts'
import { type Applications, createApplications } from './applications.ts'
import { sections } from './personal-data.ts'
import { artifactStore } from './store.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly applications: Applications
  }
}

export const services = [
  service({
    needs: [
      ...['accountClaims', 'accounts', 'clients', 'clientSecrets', 'keys'],
      ...['modules', 'requirements', 'sessions', 'users'],
    ] as const,
    makes: ['applications'],
    hooks: ['providerMetadata'],
    create: ({ providerMetadata, ...needs }) => ({
      applications: createApplications(needs, () => subscribersOf(providerMetadata)),
    }),
  }),
]

export const hooks = [
  hook('onAccountEnded', [], () => async (trx, { endsLogins, isRemoved, userId }) => {
    if (endsLogins && !isRemoved) await artifactStore(trx).removeOf(userId)
  }),
  hook('waysIn', ['applications'], ({ applications, db }) => async (userId) => {
    if (!applications.isOn) return {}
    return { applications: (await accessesOf(db, userId)).length }
  }),
  hook('otherTokens', ['applications'], ({ applications }) => applications.atEndpoints),
  hook('personSections', [], () => sections),
  hook('onEvent', [], () => ({
    wants: ({ name }) => name === clientRemoved.name,
    take: async (trx, { payload: { client } }) => {
      await removeClientAccess(trx, String(client))
    },
  })),
]
