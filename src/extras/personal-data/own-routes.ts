import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { begunStream } from '../../core/http/lists/begun-stream.ts'
import { inTurn } from '../../core/http/lists/bulk-answers.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import type { App } from '../../core/http/schemas.ts'
import { exactly, named, Text, Time } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { authenticated } from '../../core/policy/rules.ts'
import { ownAccount, ownAccountPrefixes, ownOperationId } from '../../modules/accounts/look-up.ts'
import { annsAccount } from '../../modules/accounts/schemas.ts'
import {
  acceptedProofs,
  confirmationRequired,
  examplePassword,
  proofsIn,
  sentProofs,
} from '../../modules/authentication/proof-schemas.ts'
import { clearSessionCookie } from '../../modules/sessions/cookie.ts'
import { captchaRequired } from '../../modules/throttle/schemas.ts'
import { ann } from '../../modules/users/schemas.ts'
import { removeOwn } from './own-removal.ts'

const exported = '2026-03-01T09:30:00.000Z'

/** What the service holds of a person; docs/personal-data.md lists the fields of `data`. */
export const PersonalDataBody = named(
  'PersonalData',
  exactly({
    exported_at: Time,
    user_id: { type: 'integer' },
    data: {
      type: 'object',
      description:
        'Each part is an object, null without one, or a list; further parts may be added.',
      required: ['user', 'account', 'sessions', 'posts', 'audit'],
      properties: {
        user: { type: ['object', 'null'], additionalProperties: true },
        account: { type: ['object', 'null'], additionalProperties: true },
        sessions: { type: 'array', items: { type: 'object', additionalProperties: true } },
        posts: { type: 'array', items: { type: 'object', additionalProperties: true } },
        audit: { type: 'array', items: { type: 'object', additionalProperties: true } },
      },
      additionalProperties: true,
    },
  }),
  {
    exported_at: exported,
    user_id: ann.id,
    data: {
      user: ann,
      account: { username: annsAccount.username, roles: annsAccount.roles },
      sessions: [],
      posts: [],
      audit: [],
    },
  },
)

/** The username says which account is meant, so that no request deletes one by mistake. */
const username = { ...Text, description: 'The username of the account, in any spelling' } as const

export const DeleteOwnAccount = {
  type: 'object',
  required: ['username'],
  properties: { username, ...acceptedProofs },
} as const

export const SentDeletion = named(
  'AccountDeletion',
  { ...DeleteOwnAccount, properties: { username, ...sentProofs } },
  { username: annsAccount.username, current_password: examplePassword },
)

export const DeletedOwnAccount = named(
  'AccountDeleted',
  {
    type: 'object',
    required: ['message'],
    properties: {
      message: Text,
      deletion_at: {
        ...Time,
        description:
          'When the account is erased unless its owner takes the deletion back; absent: it was erased',
      },
    },
    additionalProperties: false,
  },
  { message: 'Account deletion requested', deletion_at: '2026-03-09T09:30:00.000Z' },
)

export const prefixes = ownAccountPrefixes

const access = { rule: authenticated }

/**
 * The data of the caller, and the end of the caller's account: GET /export and DELETE, below
 * /api/user/account (role USER) and /api/account (any account).
 */
export async function routes(
  app: App,
  { accounts, config, personalData, ...removal }: Needs,
): Promise<void> {
  const idOf = (id: string) => ownOperationId(id, app.prefix)

  app.get(
    '/export',
    {
      config: {
        tag: 'Own account',
        access,
        reauthentication: 'always',
        errors: ['accountNotFound'],
        answers: { 200: { [mediaTypes.json]: PersonalDataBody } },
      },
      schema: {
        operationId: idOf('exportOwnData'),
        summary: 'Everything that names the account: profile, sessions, posts, own acts',
      },
    },
    async (request, reply) => {
      const { userId } = await ownAccount(accounts, request)
      reply.header('content-type', 'application/json; charset=utf-8')
      reply.header('content-disposition', 'attachment; filename="personal-data.json"')
      if (request.method === 'HEAD') return reply.send()
      const texts = personalData.of(userId, {
        authorize: async () => reauthorize(request)?.now(),
        makeBatch: inTurn(request, reply, { mayBeRefused: true }),
      })
      return reply.send(await begunStream(texts))
    },
  )

  app.delete(
    '',
    {
      config: {
        tag: 'Own account',
        access,
        reauthentication: 'always',
        body: 'json',
        sends: SentDeletion,
        maxBodyBytes: fewFieldsBytes,
        responseHeaders: ['set-cookie'],
        errors: [
          'accountNotFound',
          'invalidCredentials',
          confirmationRequired,
          captchaRequired,
          'lastAdministrator',
          'tooManyLoginAttempts',
        ],
      },
      schema: {
        operationId: idOf('deleteOwnAccount'),
        summary:
          'Delete the account and its user, and erase what names the person; a link by mail takes it back',
        body: DeleteOwnAccount,
        response: { 200: DeletedOwnAccount },
      },
    },
    async (request, reply) => {
      const account = await ownAccount(accounts, request)
      const { username } = request.body
      const sent = proofsIn(request.body)
      const deletionAt = await removeOwn(removal, request, { account, username, sent })
      if (request.principal?.credential.scheme === 'session') clearSessionCookie(reply, config)
      return deletionAt === null
        ? { message: 'Account deleted' }
        : { message: 'Account deletion requested', deletion_at: isoTime(deletionAt) }
    },
  )
}
