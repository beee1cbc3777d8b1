import type { FastifyInstance, FastifyRequest } from 'fastify'
import { acceptForms } from '../../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../../core/http/changes/reauthorize.ts'
import type { Needs } from '../../../core/module/services.ts'
import { browserCookie } from '../../../modules/devices/device-cookie.ts'
import { parseUserAgent } from '../../../modules/devices/user-agent.ts'
import {
  accountForm,
  accountPage,
  common,
  field,
  goOn,
  personOf,
  show,
} from '../../own-account/pages/own-page.ts'

const path = '/account/devices'
const recent = { reauthentication: 'always' } as const

export async function routes(app: FastifyInstance, deps: Needs): Promise<void> {
  const { rememberedDevices } = deps
  acceptForms(app)

  app.get(path, accountPage(path), async (request, reply) => {
    const person = await personOf(deps, request)
    const { userId } = person.account
    const current = currentOf(request, userId)
    const devices = (await rememberedDevices.of(userId)).map(({ handle: id, ...device }) => ({
      id,
      isCurrent: id === current,
      ...parseUserAgent(device.userAgent),
      address: device.address,
      createdAt: device.createdAt,
      lastUsedAt: device.lastUsedAt,
      endsAt: device.endsAt,
    }))
    const view = { ...common(request, person), devices }
    return show(reply, request, person, 'account-devices', view)
  })

  app.post(`${path}/forget`, accountForm(path, recent), async (request, reply) => {
    const person = await personOf(deps, request)
    await rememberedDevices.forget(person.account.userId, {
      reason: 'owner',
      handle: field(request, 'device'),
      guard: reauthorize(request),
    })
    return goOn(reply, person, path, 'device_forgotten')
  })

  app.post(`${path}/forget-all`, accountForm(path, recent), async (request, reply) => {
    const person = await personOf(deps, request)
    const guard = reauthorize(request)
    await rememberedDevices.forget(person.account.userId, { reason: 'owner', guard })
    return goOn(reply, person, path, 'devices_forgotten')
  })

  function currentOf(request: FastifyRequest, userId: number): string | null {
    const browser = browserCookie(request)
    return browser === undefined ? null : rememberedDevices.handleOf(userId, browser)
  }
}
