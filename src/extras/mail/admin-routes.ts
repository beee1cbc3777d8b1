import type { FastifyRequest } from 'fastify'
import { parseEmail } from '../../core/addresses/email.ts'
import { refuseField } from '../../core/errors.ts'
import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { among } from '../../core/http/lists/filters.ts'
import { offsetOf, parsePage, type Query, single } from '../../core/http/lists/paging.ts'
import type { App } from '../../core/http/schemas.ts'
import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import type { ShownMail } from './mail-admin.ts'
import type { MailFilters } from './mail-admin-store.ts'
import { type MessageName, messageTypes } from './message-types.ts'
import { mailClosed, mailNotFound, mailUnavailable } from './problems.ts'
import { MailBody, MailId, MailPage, mailQuery, mailStates, TestMail } from './schemas.ts'

const access = { rule: role('ADMIN') }
const maxPerPage = 1000

export async function routes(app: App, options: Needs): Promise<void> {
  const { accounts, config, mailAdmin, mailer, workers } = options
  app.addHook('onListen', async () => {
    if (workers.index === 0) void mailer.check() // never throws; start does not wait
  })

  app.get(
    '/api/admin/mail',
    {
      config: { access, query: mailQuery(maxPerPage), errors: ['validationFailed'] },
      schema: {
        operationId: 'listMail',
        summary: 'One page of the mail of the last 30 days, the newest first',
        response: { 200: MailPage },
      },
    },
    async (request) => {
      const query = request.query as Query
      const page = parsePage(query, maxPerPage)
      const filters = await filtersOf(query)
      const total = await mailAdmin.count(filters)
      const data = await mailAdmin.page(filters, offsetOf(page, total), page.limit)
      return { ...page, total, data: data.map(mailView) }
    },
  )

  app.post(
    '/api/admin/mail/test',
    {
      config: { access, body: 'json', maxBodyBytes: fewFieldsBytes, errors: [mailUnavailable] },
      schema: {
        operationId: 'sendTestMail',
        summary: 'Send a mail that says that mail arrives; its state shows what became of it',
        body: TestMail,
        response: { 202: MailBody },
      },
    },
    async (request, reply) => {
      const { language = config.pages.language } = request.body
      const address =
        parseEmail(request.body.address) ??
        refuseField(['address'], {
          en: 'must be an e-mail address',
          de: 'muss eine E-Mail-Adresse sein',
        })
      const mail = await mailAdmin.test({ address, language }, reauthorize(request))
      return reply.status(202).send(mailView(mail))
    },
  )

  app.post(
    '/api/admin/mail/:id/resend',
    {
      config: { access, params: MailId, errors: [mailNotFound, mailClosed] },
      schema: {
        operationId: 'resendMail',
        summary: 'Send a mail at once that waits or was refused',
        response: { 200: MailBody },
      },
    },
    async (request) => mailView(await mailAdmin.resend(idOf(request), reauthorize(request))),
  )

  app.delete(
    '/api/admin/mail/:id',
    {
      config: { access, params: MailId, errors: [mailNotFound, mailClosed] },
      schema: {
        operationId: 'cancelMail',
        summary: 'Withdraw a mail that was not sent yet',
        response: { 200: MailBody },
      },
    },
    async (request) => mailView(await mailAdmin.cancel(idOf(request), reauthorize(request))),
  )

  /** @throws ApiError validationFailed for unknown states and messages */
  async function filtersOf(query: Query): Promise<MailFilters> {
    const [typedState, typedMessage, name] = [
      single(query, 'state'),
      single(query, 'message'),
      single(query, 'username'),
    ]
    const state = typedState === undefined ? undefined : among(mailStates)(typedState, 'state')
    const message =
      typedMessage === undefined ? undefined : among(messageNames)(typedMessage, 'message')
    const username = name === undefined ? undefined : canonicalUsername(name)
    const account = username && (await accounts.byUsername(username))
    return {
      ...(state && { state }),
      ...(message && { message }),
      ...(name !== undefined && { userId: account?.userId ?? noUserId }),
    }
  }
}

const messageNames = Object.keys(messageTypes)
const noUserId = -1

function idOf(request: FastifyRequest): string {
  return (request.params as { id: string }).id
}

export function mailView(mail: ShownMail) {
  return {
    id: mail.id,
    message: mail.message as MessageName,
    kind: mail.kind,
    state: mail.state,
    username: mail.username,
    address: mail.address,
    attempts: mail.attempts,
    response: mail.response,
    created_at: isoTime(mail.created_at),
    due_at: isoTimeOrNull(mail.finished_at === null ? (mail.ready_at ?? mail.due_at) : null),
    expires_at: isoTime(mail.expires_at),
    finished_at: isoTimeOrNull(mail.finished_at),
  }
}
