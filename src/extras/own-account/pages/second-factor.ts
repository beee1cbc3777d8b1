import type { FastifyInstance } from 'fastify'
import { transact } from '../../../core/database/transactions.ts'
import type { ApiError } from '../../../core/errors.ts'
import { reauthorize } from '../../../core/http/changes/reauthorize.ts'
import type { Needs } from '../../../core/module/services.ts'
import { flowExpired } from '../../../modules/flows/flows.ts'
import { browserOf } from '../../../modules/flows/requests.ts'
import { totpId, withoutSpaces } from '../../../modules/totp/kind.ts'
import type { Provisioning } from '../../../modules/totp/provisioning.ts'
import { createHolder } from './held.ts'
import {
  accountForm,
  accountPage,
  common,
  field,
  goOn,
  personOf,
  proofsOfForm,
  show,
  showIfRefused,
} from './own-page.ts'
import { protectedForm, recentLogin } from './protected-form.ts'
import type { AccountProblem } from './views.ts'

const path = '/account/second-factor'
const setUpPath = `${path}/set-up`
const removePath = `${path}/remove`
export const codesPath = '/account/recovery-codes'

export async function secondFactorPages(app: FastifyInstance, deps: Needs): Promise<void> {
  const { db, factors, pageFlows, proofs, random, totp } = deps
  const { hold, heldBy, showCodes } = createHolder(deps)

  app.get(path, accountPage(path, recentLogin), async (request, reply) => {
    const person = await personOf(deps, request)
    const isOn = await totp.isOn(person.account)
    return show(reply, request, person, 'account-second-factor', {
      ...common(request, person),
      isOn,
      hasOther: !isOn && person.account.secondFactor,
    })
  })

  const setUp = { path: setUpPath, page: path, change: 'factor' } as const
  protectedForm(app, deps, setUp, async (request, reply, person) => {
    const { account } = person
    const sent = proofsOfForm(deps, request)
    const guard = await proofs.prove(request, { account, change: 'factor', sent })
    const enrolment = await totp.begin(account, guard)
    const flow = await hold(person.account, { enrolment }, browserOf(request, reply, random))
    return reply.redirect(`${setUpPath}?flow=${flow.id}`, 303)
  })

  app.get(setUpPath, accountPage(path, recentLogin), async (request, reply) => {
    const person = await personOf(deps, request)
    const flow = await heldBy(request, person)
    if (!flow || !('enrolment' in flow.data)) return reply.redirect(path, 303)
    return show(reply, request, person, 'account-enrolment', {
      ...common(request, person),
      ...shown(flow.id, flow.data.enrolment),
    })
  })

  app.post(`${path}/confirm`, accountForm(path, recentLogin), async (request, reply) => {
    const person = await personOf(deps, request)
    const flow = await heldBy(request, person)
    if (!flow || !('enrolment' in flow.data)) throw flowExpired('page_flow_unknown')
    const { enrolment } = flow.data
    showIfRefused(request, person, 'account-enrolment', {
      problemOf: problemOfCode,
      view: (problem) => ({
        ...common(request, person, problem),
        ...shown(flow.id, enrolment),
      }),
    })
    const code = withoutSpaces(field(request, 'totp'))
    const codes = await totp.confirm(person.account, code, {
      keepSession: person.sessionId,
      guard: reauthorize(request),
    })
    if (codes.length === 0) return goOn(reply, person, path, 'factor_added')
    await showCodes(flow, codes)
    return reply.redirect(`${codesPath}?flow=${flow.id}`, 303)
  })

  app.get(removePath, accountPage(removePath, recentLogin), async (request, reply) => {
    const person = await personOf(deps, request)
    if (!(await totp.isOn(person.account))) return reply.redirect(path, 303)
    return show(reply, request, person, 'account-remove-factor', common(request, person))
  })

  const removal = { path: removePath, change: 'factor_removal' } as const
  protectedForm(app, deps, removal, async (request, reply, person) => {
    const { account, sessionId } = person
    if (!(await totp.isOn(account))) {
      await totp.abandon(account, reauthorize(request))
      return reply.redirect(path, 303)
    }
    const sent = proofsOfForm(deps, request)
    const guard = await proofs.prove(request, { account, change: 'factor_removal', sent })
    const how = { keepSession: sessionId, isByOwner: true, guard }
    await factors.remove(account, { ...how, id: totpId })
    return goOn(reply, person, path, 'factor_removed')
  })

  app.get(
    codesPath,
    // A HEAD would use the codes up. A sign-in returns here, where the flow shows the codes.
    {
      ...accountPage(codesPath, { ...recentLogin, isReturnTarget: true }),
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const person = await personOf(deps, request)
      const flow = await heldBy(request, person)
      if (!flow || !('codes' in flow.data)) {
        const isOn = person.account.secondFactor
        return show(reply, request, person, 'account-recovery-codes', {
          ...common(request, person),
          isOn,
        })
      }
      await transact(db, [], (trx) => pageFlows.end(trx, flow)) // shown once
      return show(reply, request, person, 'account-new-codes', flow.data)
    },
  )

  const renewal = { path: codesPath, change: 'recovery_codes' } as const
  protectedForm(app, deps, renewal, async (request, reply, person) => {
    const { account } = person
    const sent = proofsOfForm(deps, request)
    const guard = await proofs.prove(request, { account, change: 'recovery_codes', sent })
    const codes = await factors.renewCodes(account, guard)
    const held = { codes, isFirst: false }
    const flow = await hold(person.account, held, browserOf(request, reply, random))
    return reply.redirect(`${codesPath}?flow=${flow.id}`, 303)
  })
}

function shown(flow: string, { qr, secret }: Provisioning) {
  return { flow, qr, secret }
}

function problemOfCode({ row, retryAfterSeconds: seconds = 0 }: ApiError): AccountProblem | null {
  if (row === 'invalidCredentials') return { code: 'code_wrong', field: 'totp' }
  if (row === 'secondFactorRequired') return { code: 'code_missing', field: 'totp' }
  if (row === 'validationFailed') return { code: 'code_missing', field: 'totp' }
  return row === 'tooManyLoginAttempts' ? { code: 'too_many', field: null, seconds } : null
}
