import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../../core/errors.ts'
import { reauthorize } from '../../../core/http/changes/reauthorize.ts'
import type { Needs } from '../../../core/module/services.ts'
import type { ProtectedChange } from '../../../modules/authentication/proof-kinds.ts'
import { browserOf } from '../../../modules/flows/requests.ts'
import { accountForm, field, type Person, personOf } from './own-page.ts'

/** Empty if absent. */
export type Fields = (name: string) => string

/** Returns the next page or redirect. */
export type MakeChange = (
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  fields: Fields,
) => Promise<FastifyReply>

/** By form path, for the confirmation page. */
export type ProtectedForms = Map<string, { readonly page: string; readonly make: MakeChange }>

export interface ProtectedForm {
  readonly path: string
  /** Default: `path`. */
  readonly page?: string
  readonly change: ProtectedChange
  /** Fields beside proofs. */
  readonly fields?: readonly string[]
  /** Success statuses for the documentation; default: a redirect. */
  readonly answers?: Readonly<Record<number, Readonly<Record<string, never>>>>
}

/** Proofs also require a recent login. */
export const recentLogin = { reauthentication: 'always' } as const

/**
 * If a proof is missing, redirects to the confirmation page, which continues with the change: see
 * confirm.ts.
 */
export function protectedForm(
  app: FastifyInstance,
  deps: Needs,
  { path, page = path, change, fields = [], answers = { 303: {} } }: ProtectedForm,
  make: MakeChange,
): void {
  const { grants, protectedForms, random } = deps
  protectedForms.set(path, { page, make })
  const { config, schema } = accountForm(page, recentLogin)
  app.post(path, { schema, config: { ...config, answers } }, async (request, reply) => {
    const person = await personOf(deps, request)
    try {
      return await make(request, reply, person, (name) => field(request, name))
    } catch (error) {
      if (!(error instanceof ApiError && error.row === 'confirmationRequired')) throw error
      const sent = Object.fromEntries(fields.map((name) => [name, field(request, name)]))
      const { account, sessionId } = person
      const flow = await grants.begin(
        account,
        { change, sessionId, form: { path, fields: sent } },
        browserOf(request, reply, random),
        reauthorize(request),
      )
      return reply.redirect(`/account/confirm?flow=${flow.id}`, 303)
    }
  })
}
