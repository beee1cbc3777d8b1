import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { acceptForms } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import type { Needs } from '../../core/module/services.ts'
import { tooManyKeys } from '../../modules/api-keys/problems.ts'
import { scopesIn } from '../../modules/api-keys/scopes.ts'
import { wantedKeyOf } from '../../modules/api-keys/wanted.ts'
import {
  accountForm,
  accountPage,
  common,
  field,
  goOn,
  type Person,
  personOf,
  proofsOfForm,
  show,
  showIfRefused,
} from '../own-account/pages/own-page.ts'
import { protectedForm, recentLogin } from '../own-account/pages/protected-form.ts'
import type { AccountProblem } from '../own-account/pages/views.ts'
import type { AppPasswordsView } from './views.ts'

const path = '/account/app-passwords'
const createPath = `${path}/create`
const kind = 'app_password'
const days = 365
const maxName = 100

/** Made for programs behind forward authentication: without scopes, and for a year. */
export async function routes(app: FastifyInstance, deps: Needs): Promise<void> {
  acceptForms(app)
  const { apiKeys, config, modules, proofs } = deps
  const known = { scopes: scopesIn(modules), roles: config.roles }
  const isOn: preHandlerHookHandler = (_request, _reply, done) => {
    if (config.appPasswords.isOn) return done()
    throw new ApiError('routeNotFound', { reason: { code: 'app_passwords_off' } })
  }
  app.addHook('preHandler', isOn)

  async function viewOf(request: FastifyRequest, person: Person) {
    const keys = await apiKeys.of(person.account.userId, kind)
    return (problem: AccountProblem | null): AppPasswordsView => ({
      ...common(request, person, problem),
      keys: keys.map(({ id, name, createdAt, expiresAt, lastUsedAt }) => ({
        ...{ id, name, createdAt, expiresAt, lastUsedAt },
      })),
    })
  }

  app.get(path, accountPage(path), async (request, reply) => {
    const person = await personOf(deps, request)
    const view = await viewOf(request, person)
    return show(reply, request, person, 'account-app-passwords', view(null))
  })

  const creation = {
    path: createPath,
    page: path,
    change: kind,
    fields: ['name'],
    answers: { 200: {}, 303: {} },
  } as const
  protectedForm(app, deps, creation, async (request, reply, person, fields) => {
    const { account } = person
    const view = await viewOf(request, person)
    showIfRefused(request, person, 'account-app-passwords', { problemOf, view })
    const sent = { name: fields('name').slice(0, maxName), scopes: [], expires_in_days: days }
    const wanted = wantedKeyOf(account, sent, kind, known)
    const guard = await proofs.prove(request, {
      account,
      change: kind,
      sent: proofsOfForm(deps, request),
    })
    const { key, text } = await apiKeys.create(account, wanted, { guard, by: account.userId })
    return show(reply, request, person, 'account-new-app-password', {
      ...{ name: key.name, key: text, username: account.username },
    })
  })

  app.post(`${path}/revoke`, accountForm(path, recentLogin), async (request, reply) => {
    const person = await personOf(deps, request)
    const found = { userId: person.account.userId, id: field(request, 'key'), kind } as const
    await apiKeys.revoke(found, { guard: reauthorize(request), reason: 'owner' })
    return goOn(reply, person, path, 'app_password_revoked')
  })
}

function problemOf({ row }: ApiError): AccountProblem | null {
  if (row === 'validationFailed') return { code: 'app_password_name', field: 'name' }
  return row === tooManyKeys ? { code: 'app_passwords_full', field: null } : null
}
