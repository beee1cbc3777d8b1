import type { Check } from '../../core/checks/check.ts'
import type { ModuleChecks } from '../../core/checks/context.ts'
import { isPublic, type OfflineContext, type OutsideContext } from '../../core/checks/context.ts'

const usersPolicy: Check<OfflineContext> = {
  id: 'users_policy',
  level: 'error',
  passMessage: 'USERS_POLICY is not open',
  why: {
    en: 'Anyone may read, change and delete all users without a credential.',
    de: 'Jeder kann ohne Anmeldedaten alle Personen lesen, ändern und löschen.',
  },
  mend: {
    do: { en: 'Choose who may.', de: 'Legen Sie fest, wer es darf.' },
    setting: 'USERS_POLICY=roles',
  },
  find({ config }) {
    if (config.users.policy !== 'open') return []
    const what = {
      en: 'USERS_POLICY is open: the users resource asks for no credential.',
      de: 'USERS_POLICY ist open: Der Zugriff auf /users verlangt keine Anmeldedaten.',
    }
    return [{ what, level: isPublic(config) ? 'error' : 'warning' }]
  },
}

const usersOpen: Check<OutsideContext> = {
  id: 'users_open',
  level: 'error',
  passMessage: 'the users resource asks for a credential',
  why: {
    en: 'Anyone reads, changes and deletes all users.',
    de: 'Jeder kann alle Personen lesen, ändern und löschen.',
  },
  mend: {
    do: {
      en: 'Choose who may, and let the proxy send no credential of its own.',
      de: 'Legen Sie fest, wer es darf, und lassen Sie den Proxy keine eigenen Anmeldedaten senden.',
    },
    setting: 'USERS_POLICY=roles',
    nginx: '# remove: proxy_set_header Authorization "Basic ...";',
    caddy: '# remove: header_up Authorization ...',
  },
  async find({ origin, probe }) {
    const { header, json, status } = await probe.get('/users')
    const isOpen = status === 200 && Array.isArray(json) && header('x-request-id') !== ''
    return isOpen
      ? [
          {
            what: {
              en: `${origin}/users answers without a credential.`,
              de: `${origin}/users antwortet ohne Anmeldedaten.`,
            },
          },
        ]
      : []
  },
}

export const checks: ModuleChecks = { offline: [usersPolicy], outside: [usersOpen] }
