import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import { acceptForms } from '../../core/http/bodies/bodies.ts'
import { sendView } from '../../core/http/pages/send-view.ts'
import type { Needs } from '../../core/module/services.ts'
import { clearSessionCookie } from '../../modules/sessions/cookie.ts'
import {
  accountPage,
  common,
  type Person,
  personOf,
  proofsOfForm,
  show,
  showIfRefused,
} from '../own-account/pages/own-page.ts'
import { protectedForm, recentLogin } from '../own-account/pages/protected-form.ts'
import type { AccountProblem } from '../own-account/pages/views.ts'
import { removeOwn } from './own-removal.ts'
import type { AccountDeletionView } from './views.ts'

const paths = { data: '/account/data', delete: '/account/delete' } as const

/** /account/data: a copy of all data; /account/delete: the end of the account. */
export async function routes(app: FastifyInstance, deps: Needs): Promise<void> {
  acceptForms(app)

  // The API serves the file, and asks for a recent login as well.
  app.get(paths.data, accountPage(paths.data, recentLogin), async (request, reply) =>
    show(reply, request, await personOf(deps, request), 'account-data', {
      file: '/api/account/export',
    }),
  )

  app.get(paths.delete, accountPage(paths.delete, recentLogin), async (request, reply) => {
    const person = await personOf(deps, request)
    return show(reply, request, person, 'account-delete', viewOf(request, person))
  })

  const form = {
    path: paths.delete,
    page: paths.delete,
    change: 'deletion',
    fields: ['username'],
    answers: { 200: {} },
  } as const
  protectedForm(app, deps, form, async (request, reply, person, fields) => {
    const view = (problem: AccountProblem) => viewOf(request, person, problem)
    showIfRefused(request, person, 'account-delete', { problemOf, view })
    const { account } = person
    const deletionAt = await removeOwn(deps, request, {
      account,
      username: fields('username'),
      sent: proofsOfForm(deps, request),
    })
    clearSessionCookie(reply, deps.config)
    return sendView(reply, request, 'account-deleted', { deletionAt })
  })

  function viewOf(
    request: FastifyRequest,
    person: Person,
    problem: AccountProblem | null = null,
  ): AccountDeletionView {
    return {
      ...common(request, person, problem),
      days: deps.accountDeletion.daysOf(person.account),
    }
  }
}

function problemOf({ row, details }: ApiError): AccountProblem | null {
  if (row === 'lastAdministrator') return { code: 'last_administrator', field: null }
  const isName = details?.some(({ path: [name] }) => name === 'username')
  return isName ? { code: 'username_wrong', field: 'username' } : null
}
