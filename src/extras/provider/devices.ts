import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DeviceCode, Provider } from 'oidc-provider'
import { type Guard, lockName } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Needs } from '../../core/module/services.ts'
import { scopesIn as keyScopesIn } from '../../modules/api-keys/scopes.ts'
import { type Application, scopesOfPeople } from '../../modules/clients/application.ts'
import { consentStore } from './consents.ts'
import { accessGiven } from './events.ts'
import type { Instance } from './instance.ts'
import { scopesIn } from './interaction-login.ts'
import { beginWork, commitWork, within } from './work.ts'

const ofPeople: readonly string[] = scopesOfPeople

/** A device that waits for the decision of a person. */
export interface WaitingDevice {
  /** Without the dash. */
  readonly userCode: string
  readonly client: string
  readonly application: Application
  readonly scopes: readonly string[]
  /** Where the device asked from. */
  readonly address: string
}

interface Waiting {
  readonly code: DeviceCode
  readonly application: Application
}

interface Login {
  readonly accountId: string
  readonly ts: number
  readonly amr: readonly string[]
  readonly acr?: string
  readonly sessionId: string
}

/** The codes of devices, whose pages are ours. RFC 8628 */
export interface Devices {
  /** Null for a code that is unknown, expired or decided. */
  find(request: FastifyRequest, reply: FastifyReply, typed: string): Promise<WaitingDevice | null>
  /** With null the device is refused. @throws ApiError signInFailed for a session that has ended */
  decide(
    request: FastifyRequest,
    reply: FastifyReply,
    device: WaitingDevice,
    login: Login | null,
  ): Promise<void>
}

export function createDevices(
  deps: Pick<Needs, 'clients' | 'clock' | 'db' | 'events' | 'modules' | 'sessions'>,
  instance: () => Promise<Instance>,
): Devices {
  const { clients, clock, events, modules, sessions } = deps
  const ofApi = keyScopesIn(modules).of('app_password')

  async function codeOf(provider: Provider, typed: string): Promise<Waiting | null> {
    const userCode = typed.toUpperCase().replace(/\W/g, '')
    const code = userCode === '' ? undefined : await provider.DeviceCode.findByUserCode(userCode)
    if (!code || code.accountId || code.error) return null
    const application = (await clients.find(code.clientId))?.application
    return application ? { code, application } : null
  }

  return {
    async find(request, reply, typed) {
      const { provider } = await instance()
      const work = beginWork(request, reply)
      const waiting = await within(work, () => codeOf(provider, typed))
      if (!waiting) return null
      const { application, code } = waiting
      const scopes = scopesIn(code, application)
      const { clientId: client, deviceInfo, userCode } = code
      return { userCode, client, application, scopes, address: deviceInfo.address }
    },

    async decide(request, reply, { userCode }, login) {
      const { provider } = await instance()
      const work = beginWork(request, reply)
      await within(work, async () => {
        const waiting = await codeOf(provider, userCode)
        if (!waiting) return
        const { application, code } = waiting
        if (login) await give(provider, code, login, scopesIn(code, application))
        else Object.assign(code, { error: 'access_denied', errorDescription: 'declined' })
        await code.save()
        if (!login) return
        const of = { user_id: Number(login.accountId), client: code.clientId }
        const scopes = code.scope?.split(' ') ?? []
        work.writes.push(async (trx) => {
          await consentStore(trx).give(of.user_id, of.client, scopes, clock.now())
          await events.emitInTransaction(trx, accessGiven, { ...of, scopes })
        })
      })
      await commitWork(deps, work, login ? guardOf(login) : undefined)
    },
  }

  /** The session may end while the person decides. */
  function guardOf({ accountId, sessionId }: Login): Guard {
    return {
      lockNames: () => [lockName.account(Number(accountId))],
      async authorize(reader) {
        if (await sessions.judge(sessionId, reader)) return
        throw new ApiError('signInFailed', { reason: { code: 'application_login_ended' } })
      },
    }
  }

  /** What a device has does not end with the session of the browser that allowed it. */
  async function give(
    provider: Provider,
    code: DeviceCode,
    { accountId, acr, amr, ts }: Login,
    wanted: readonly string[],
  ): Promise<void> {
    const { clientId, params } = code
    const grant = new provider.Grant({ clientId, accountId })
    const own = wanted.filter((scope) => ofPeople.includes(scope))
    if (own.length > 0) grant.addOIDCScope(own.join(' '))
    const { resource } = params
    const scopes = wanted.filter((scope) => ofApi.includes(scope))
    if (resource !== undefined && scopes.length > 0)
      grant.addResourceScope(resource, scopes.join(' '))
    Object.assign(code, {
      ...{ accountId, amr, authTime: ts, scope: wanted.join(' '), grantId: await grant.save() },
      ...(acr !== undefined && { acr }),
      ...(resource !== undefined && { resource }),
    })
  }
}
