import { hook, service } from '../../core/module/service.ts'
import { type Backups, createBackups } from './runs.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly backups: Backups
  }
}

export const services = [
  service({
    needs: ['modules'],
    makes: ['backups'],
    create: (needs) => ({ backups: createBackups(needs) }),
    stop: ({ backups }) => backups.stop(),
  }),
]

export const hooks = [
  hook('readinessWarning', ['backups'], ({ backups }) => async () => {
    const { warning = null, detail = null } = (await backups.health()) ?? {}
    return warning && { warning, detail }
  }),
]
