import { hook, service } from '../../core/module/service.ts'
import { sections } from './personal-data.ts'
import { addFactor, createSessions, endSessionsOf, type Sessions } from './sessions.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly sessions: Sessions
  }
}

export const services = [
  service({
    needs: ['accounts', 'requirements'],
    makes: ['sessions'],
    create: ({ log: _, ...needs }) => ({ sessions: createSessions(needs) }),
    async close({ log, sessions }) {
      await sessions
        .flush()
        .catch((error: unknown) => log.error({ err: error }, 'activity was lost'))
    },
  }),
]

export const hooks = [
  hook(
    'onAccountEnded',
    [],
    ({ clock }) =>
      async (trx, { userId, endsLogins, keepSession, isRemoved }) => {
        const now = isRemoved ? null : clock.now()
        if (endsLogins) await endSessionsOf(trx, { userId, exceptId: keepSession, now })
      },
  ),
  hook('onFactorProved', [], () => addFactor),
  hook('personSections', [], () => sections),
]
