import type { Check } from '../../core/checks/check.ts'
import type { ModuleChecks } from '../../core/checks/context.ts'
import { isPublic, type OfflineContext, type OutsideContext } from '../../core/checks/context.ts'

const usersPolicy: Check<OfflineContext> = {
  id: 'users_policy',
  level: 'error',
  passMessage: 'USERS_POLICY is not open',
  why: 'Anyone may read, change and delete all users without a credential.',
  mend: { do: 'Choose who may.', setting: 'USERS_POLICY=roles' },
  find({ config }) {
    if (config.users.policy !== 'open') return []
    const what = 'USERS_POLICY is open: the users resource asks for no credential.'
    return [{ what, level: isPublic(config) ? 'error' : 'warning' }]
  },
}

const usersOpen: Check<OutsideContext> = {
  id: 'users_open',
  level: 'error',
  passMessage: 'the users resource asks for a credential',
  why: 'Anyone reads, changes and deletes all users.',
  mend: {
    do: 'Choose who may, and let the proxy send no credential of its own.',
    setting: 'USERS_POLICY=roles',
    nginx: '# remove: proxy_set_header Authorization "Basic ...";',
    caddy: '# remove: header_up Authorization ...',
  },
  async find({ origin, probe }) {
    const { header, json, status } = await probe.get('/users')
    const isOpen = status === 200 && Array.isArray(json) && header('x-request-id') !== ''
    return isOpen ? [{ what: `${origin}/users answers without a credential.` }] : []
  },
}

export const checks: ModuleChecks = { offline: [usersPolicy], outside: [usersOpen] }
