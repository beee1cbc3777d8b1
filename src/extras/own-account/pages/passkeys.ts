import type { FastifyInstance } from 'fastify'
import { type ApiError, refuseField } from '../../../core/errors.ts'
import { reauthorize } from '../../../core/http/changes/reauthorize.ts'
import { codePointLength, isStorableText } from '../../../core/lib/text.ts'
import type { Needs } from '../../../core/module/services.ts'
import { callerName } from '../../../modules/authentication/proof-purpose.ts'
import { flowExpired } from '../../../modules/flows/flows.ts'
import { browserOf } from '../../../modules/flows/requests.ts'
import { parsed } from '../../../modules/passkeys/passkeys.ts'
import type { Passkey } from '../../../modules/passkeys/store.ts'
import { maxName, suggestedName } from '../../../modules/passkeys/suggested-name.ts'
import { createHolder } from './held.ts'
import {
  accountForm,
  accountPage,
  common,
  field,
  goOn,
  type Person,
  parameter,
  personOf,
  proofsOfForm,
  show,
  showIfRefused,
} from './own-page.ts'
import type { PasskeyRow } from './passkey-views.ts'
import { protectedForm, recentLogin } from './protected-form.ts'
import { codesPath } from './second-factor.ts'
import type { AccountProblem } from './views.ts'

const path = '/account/passkeys'
const addPath = `${path}/add`
const newPath = `${path}/new`
const renamePath = `${path}/rename`
const removePath = `${path}/remove`

export async function passkeyPages(app: FastifyInstance, deps: Needs): Promise<void> {
  const { config, passkeyEnrolment, passkeys, proofs, random } = deps
  const { hold, heldBy, showCodes } = createHolder(deps)

  app.get(path, accountPage(path), async (request, reply) => {
    const person = await personOf(deps, request)
    const { userId, username } = person.account
    const own = await passkeyEnrolment.of(userId)
    const usable = own.filter(({ rpId }) => rpId === passkeys.rpId)
    const of = { rpId: passkeys.rpId, userId: passkeys.handleOf(userId) }
    const name = (await deps.users.byId(userId))?.name ?? username
    return show(reply, request, person, 'account-passkeys', {
      ...common(request, person),
      isPossible: config.passkeys.isPossible,
      passkeys: own.map(rowOf),
      signals: {
        credentials: {
          ...of,
          allAcceptedCredentialIds: usable.map(({ credentialId }) => credentialId),
        },
        user: { ...of, name: username, displayName: name },
      },
    })
  })

  const addition = { path: addPath, page: path, change: 'factor' } as const
  protectedForm(app, deps, addition, async (request, reply, person) => {
    const { account } = person
    const sent = proofsOfForm(deps, request)
    const guard = await proofs.prove(request, { account, change: 'factor', sent })
    const creation = await passkeyEnrolment.begin(account, callerName(request), guard)
    const flow = await hold(account, { creation }, browserOf(request, reply, random))
    return reply.redirect(`${newPath}?flow=${flow.id}`, 303)
  })

  app.get(newPath, accountPage(path, recentLogin), async (request, reply) => {
    const person = await personOf(deps, request)
    const flow = await heldBy(request, person)
    if (!flow || !('creation' in flow.data)) return reply.redirect(path, 303)
    return show(reply, request, person, 'account-new-passkey', {
      ...common(request, person),
      action: `${newPath}?flow=${flow.id}`,
      options: flow.data.creation,
      name: suggestedName(request),
    })
  })

  app.post(newPath, accountForm(path, recentLogin), async (request, reply) => {
    const person = await personOf(deps, request)
    const { account, sessionId: keepSession } = person
    const flow = await heldBy(request, person)
    if (!flow || !('creation' in flow.data)) throw flowExpired('page_flow_unknown')
    const { creation } = flow.data
    const name = field(request, 'name').trim()
    showIfRefused(request, person, 'account-new-passkey', {
      problemOf,
      view: (problem) => ({
        ...common(request, person, problem),
        action: `${newPath}?flow=${flow.id}`,
        options: creation,
        name,
      }),
    })
    assertName(name)
    const of = { caller: callerName(request), sent: parsed(field(request, 'passkey')), name }
    const guard = reauthorize(request)
    const { recoveryCodes } = await passkeyEnrolment.finish(account, of, { keepSession, guard })
    if (recoveryCodes.length === 0) return goOn(reply, person, path, 'passkey_added')
    await showCodes(flow, recoveryCodes)
    return reply.redirect(`${codesPath}?flow=${flow.id}`, 303)
  })

  for (const [own, page] of [
    [renamePath, 'account-passkey'],
    [removePath, 'account-remove-passkey'],
  ] as const) {
    app.get(own, accountPage(path), async (request, reply) => {
      const person = await personOf(deps, request)
      const passkey = await ownPasskey(person, parameter(request, 'id'))
      if (!passkey) return reply.redirect(path, 303)
      const { id, name } = passkey
      return show(reply, request, person, page, { ...common(request, person), id, name })
    })
  }

  app.post(renamePath, accountForm(path), async (request, reply) => {
    const person = await personOf(deps, request)
    const [id, name] = [field(request, 'id'), field(request, 'name').trim()]
    showIfRefused(request, person, 'account-passkey', {
      problemOf,
      view: (problem) => ({ ...common(request, person, problem), id, name }),
    })
    assertName(name)
    await passkeyEnrolment.rename(person.account, id, name, reauthorize(request))
    return goOn(reply, person, path, 'passkey_renamed')
  })

  const removal = {
    path: removePath,
    page: path,
    change: 'factor_removal',
    fields: ['id'],
  } as const
  protectedForm(app, deps, removal, async (request, reply, person, fields) => {
    const { account, sessionId: keepSession } = person
    const passkey = await ownPasskey(person, fields('id'))
    if (!passkey) {
      await reauthorize(request)?.authorize(deps.db)
      return reply.redirect(path, 303)
    }
    const { id, name } = passkey
    showIfRefused(request, person, 'account-remove-passkey', {
      problemOf,
      view: (problem) => ({ ...common(request, person, problem), id, name }),
    })
    const sent = proofsOfForm(deps, request)
    const guard = await proofs.prove(request, { account, change: 'factor_removal', sent })
    await passkeyEnrolment.remove(account, id, { keepSession, guard })
    return goOn(reply, person, path, 'passkey_removed')
  })

  async function ownPasskey(
    { account }: Person,
    id: string | undefined,
  ): Promise<Passkey | undefined> {
    return (await passkeyEnrolment.of(account.userId)).find((passkey) => passkey.id === id)
  }

  function rowOf({ id, name, isBackupEligible, createdAt, lastUsedAt, rpId }: Passkey): PasskeyRow {
    const isUsable = rpId === passkeys.rpId
    return { id, name, isSynced: isBackupEligible, isUsable, createdAt, lastUsedAt }
  }
}

/** @throws ApiError validationFailed */
function assertName(name: string): void {
  const length = codePointLength(name)
  if (length < 1 || length > maxName || !isStorableText(name)) {
    refuseField(['name'], {
      en: `must have 1 to ${maxName} characters`,
      de: `muss 1 bis ${maxName} Zeichen haben`,
    })
  }
}

function problemOf(error: ApiError): AccountProblem | null {
  const { reason, retryAfterSeconds: seconds = 0 } = error
  if (error.row === 'tooManyLoginAttempts') return { code: 'too_many', field: null, seconds }
  if (reason.code === 'registration_refused') return { code: 'passkey_refused', field: null }
  if (reason.code === 'passkeys_full') return { code: 'passkeys_full', field: null }
  if (reason.code === 'last_factor_required') return { code: 'factor_required', field: null }
  return error.row === 'validationFailed' ? { code: 'passkey_name', field: 'name' } : null
}
