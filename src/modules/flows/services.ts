import { hook, service } from '../../core/module/service.ts'
import type { PageFlows } from './flows.ts'
import { createPageFlows } from './page-flows.ts'
import { createReturnPaths, type ReturnPaths } from './return-paths.ts'
import type { ReturnOrigins } from './return-to.ts'
import { endWaitingSignIns } from './store.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly pageFlows: PageFlows
    readonly redirectOrigins: ReturnOrigins
    readonly returnPaths: ReturnPaths
  }
}

export const services = [
  service({
    needs: ['keys'],
    makes: ['pageFlows'],
    create: (needs) => ({ pageFlows: createPageFlows(needs) }),
  }),
  service({
    makes: ['returnPaths'],
    create: ({ config }) => ({ returnPaths: createReturnPaths(config) }),
  }),
  service({
    needs: ['returnPaths'],
    makes: ['redirectOrigins'],
    hooks: ['isRedirectOrigin'],
    create({ config, returnPaths, isRedirectOrigin }) {
      const isForwarded = (origin: string) =>
        [...isRedirectOrigin].some(({ subscriber }) => subscriber(origin))
      return {
        redirectOrigins: {
          includes: (origin) =>
            config.pages.redirectOrigins.includes(origin) || isForwarded(origin),
          isForwarded,
          isTarget: returnPaths.isTarget,
        },
      }
    },
  }),
]

export const hooks = [hook('onLockedOut', [], () => endWaitingSignIns)]
