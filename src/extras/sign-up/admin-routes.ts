import type { FastifyRequest } from 'fastify'
import { type EmailAddress, parseEmail } from '../../core/addresses/email.ts'
import { ApiError, refuseField } from '../../core/errors.ts'
import { fewFieldsBytes, textIn } from '../../core/http/bodies/bodies.ts'
import { assertNoFaults } from '../../core/http/bodies/faults.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { numberedPage, positiveInteger } from '../../core/http/lists/paging.ts'
import { callerOf } from '../../core/http/routes/access.ts'
import { type App, listQuery, type Static } from '../../core/http/schemas.ts'
import { type Clock, isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { userIdOf } from '../../core/policy/principal.ts'
import { role } from '../../core/policy/rules.ts'
import { assertMayAppoint } from '../../modules/accounts/new-administrator.ts'
import { parseRoles } from '../../modules/accounts/parse.ts'
import { mailUnavailable } from '../mail/problems.ts'
import { type Invitation, stateOf } from './invitation.ts'
import { absent, type Invitations, type Inviter } from './invitations.ts'
import { invitationClosed, invitationNotFound } from './problems.ts'
import { InvitationId, type InvitationSchemas, invitationSchemas } from './schemas.ts'

const access = { rule: role('ADMIN') }
const maxPerPage = 1000

/** The administrator never learns a password. */
export async function routes(app: App, options: Needs): Promise<void> {
  const { clock, config, idempotency, invitations } = options
  const { InvitationBody, CreateInvitation, InvitationPage } = invitationSchemas(config.roles)
  const show = invitationView(invitations, clock)

  app.get(
    '/api/admin/invitations',
    {
      config: { access, query: listQuery(maxPerPage) },
      schema: {
        operationId: 'listInvitations',
        summary: 'One page of invitations, the newest first',
        response: { 200: InvitationPage },
      },
    },
    (request) => numberedPage(request.query, maxPerPage, invitations, show),
  )

  app.post(
    '/api/admin/invitations',
    {
      config: {
        access,
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        reauthentication: 'conditional',
        requestHeaders: ['idempotency-key'],
        errors: ['emailExists', mailUnavailable],
        checks: {
          email: (body) => parseAddress(textIn(body, 'email')),
          roles: ({ roles }) => parseRoles(roles as readonly string[], config.roles), // by its schema
        },
      },
      schema: {
        operationId: 'createInvitation',
        summary: 'Invite a person by mail; it takes the place of a pending one to the address',
        body: CreateInvitation,
        response: { 201: InvitationBody },
      },
    },
    async (request, reply) => {
      const { name = null, language = config.pages.language } = request.body
      assertNoFaults(request)
      const email = parseAddress(request.body.email)
      const roles = parseRoles(request.body.roles, config.roles)
      const by = inviterOf(request)
      assertMayAppoint(request, options, { roles })
      invitations.assertMail()
      const wanted = { email, name, roles, language, by }
      const { body } = await idempotency.once(
        request,
        () => async (trx) => show(await invitations.create(trx, wanted)),
      )
      return reply.status(201).send(body)
    },
  )

  app.post(
    '/api/admin/invitations/:id/resend',
    {
      config: {
        access,
        reauthentication: 'conditional',
        params: InvitationId,
        errors: [invitationNotFound, invitationClosed, 'emailExists', mailUnavailable],
      },
      schema: {
        operationId: 'resendInvitation',
        summary: 'Mail an invitation again; an expired one begins anew',
        response: { 200: InvitationBody },
      },
    },
    async (request) => {
      const by = inviterOf(request)
      invitations.assertMail()
      const resent = await invitations.resend(idOf(request), by, {
        guard: reauthorize(request),
        assertMay: (before) =>
          assertMayAppoint(request, options, { roles: invitations.rolesOf(before) }),
      })
      return show(resent)
    },
  )

  app.delete(
    '/api/admin/invitations/:id',
    {
      config: {
        access,
        params: InvitationId,
        errors: [invitationNotFound, invitationClosed],
      },
      schema: {
        operationId: 'revokeInvitation',
        summary: 'Revoke an invitation: its link counts no more',
        response: { 200: InvitationBody },
      },
    },
    async (request) =>
      show(await invitations.revoke(idOf(request), { guard: reauthorize(request) })),
  )
}

export function invitationView(
  { rolesOf }: Pick<Invitations, 'rolesOf'>,
  clock: Pick<Clock, 'now'>,
) {
  return (invitation: Invitation): Static<InvitationSchemas['InvitationBody']> => ({
    id: invitation.id,
    email: invitation.email.address,
    name: invitation.name,
    roles: rolesOf(invitation),
    state: stateOf(invitation, clock.now()),
    invited_by: invitation.invitedBy,
    created_at: isoTime(invitation.createdAt),
    expires_at: isoTime(invitation.expiresAt),
    accepted_at: isoTimeOrNull(invitation.acceptedAt),
    revoked_at: isoTimeOrNull(invitation.revokedAt),
    user_id: invitation.userId,
  })
}

/**
 * The caller needs an account: its role is checked again at acceptance. @throws ApiError
 * accessDenied
 */
function inviterOf(request: FastifyRequest): Inviter {
  const caller = callerOf(request)
  const userId = userIdOf(caller)
  if (userId !== null) return { userId, username: caller.username }
  throw new ApiError('accessDenied', { reason: { code: 'inviter_without_account' } })
}

function idOf(request: FastifyRequest): number {
  const id = positiveInteger((request.params as { id?: unknown }).id)
  if (id === null) throw absent()
  return id
}

function parseAddress(text: string): EmailAddress {
  return (
    parseEmail(text) ??
    refuseField(['email'], { en: 'must be an e-mail address', de: 'muss eine E-Mail-Adresse sein' })
  )
}
