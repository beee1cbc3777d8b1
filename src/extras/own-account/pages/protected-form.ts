import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../../core/errors.ts'
import { reauthorize } from '../../../core/http/changes/reauthorize.ts'
import type { ProtectedChange } from '../../../core/http/pages/proof-kinds.ts'
import type { Needs } from '../../../core/module/services.ts'
import { browserOf } from '../../../modules/flows/requests.ts'
import { accountForm, field, type Person, personOf } from './own-page.ts'

/** Reads a field of a form as text; empty if it was not sent. */
export type Fields = (name: string) => string

/** Makes the change that a form asks for; answers what the browser sees next. */
export type MakeChange = (
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  fields: Fields,
) => Promise<FastifyReply>

/** The changes that the confirmation page can continue with, by the paths of their forms. */
export type ProtectedForms = Map<string, MakeChange>

export interface ProtectedForm {
  readonly path: string
  /** The page that has the form. */
  readonly page: string
  readonly change: ProtectedChange
  /** What the form sends beside proofs. */
  readonly fields: readonly string[]
  /** Its successes by status, for the documents, unless it leads to another page. */
  readonly answers?: Readonly<Record<number, Readonly<Record<string, never>>>>
}

/** Forms with proofs of the person want a recent login as well. */
export const recentLogin = { reauthentication: 'always' } as const

/**
 * Adds the route of a form that makes a protected change. If a proof is missing, the browser is sent
 * to the confirmation page, which continues with the change: see confirm.ts.
 */
export function protectedForm(
  app: FastifyInstance,
  deps: Needs,
  { path, page, change, fields, answers = { 303: {} } }: ProtectedForm,
  make: MakeChange,
): void {
  const { grants, protectedForms, random } = deps
  protectedForms.set(path, make)
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
