import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { callerOf } from '../../core/http/routes/access.ts'
import { type App, Message, named } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Principal } from '../../core/policy/principal.ts'
import { authenticated } from '../../core/policy/rules.ts'
import { sensitiveUpdate } from './events.ts'
import { sessionState } from './schemas.ts'

const Transfer = named(
  'Transfer',
  { type: 'object', additionalProperties: true, description: 'Any JSON; it is not read' },
  { to: 'bea', amount: 10 },
)

const bySession = { rule: authenticated, schemes: ['session'] } as const

/** Spec 3.1, 4.1 and 5.2. Only a session is accepted; other credentials are ignored. */
export async function routes(app: App, { config, db, events }: Needs): Promise<void> {
  app.get(
    '/api/session',
    {
      config: { isDiagnosis: true, access: bySession },
      schema: {
        operationId: 'getSession',
        summary: 'The session and its CSRF token, for a page that was loaded anew',
        response: { 200: sessionState(config.roles) },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { csrfToken, expiresAt } = sessionOf(caller)
      return {
        user_id: caller.subject,
        username: caller.username,
        roles: [...caller.roles],
        csrf_token: csrfToken,
        expires_at: isoTime(expiresAt),
      }
    },
  )

  app.get(
    '/api/protected',
    {
      config: { access: bySession, examples: { answer: { message: 'Hello, ann' } } },
      schema: {
        operationId: 'getGreeting',
        summary: 'A greeting for the session',
        response: { 200: Message },
      },
    },
    (request) => ({ message: `Hello, ${callerOf(request).username}` }),
  )

  app.post(
    '/api/transfer',
    {
      config: {
        access: { ...bySession, silent: true },
        body: 'optional',
        sends: Transfer,
        examples: { answer: { message: 'Transfer accepted' } },
      },
      schema: {
        operationId: 'transfer',
        summary: 'A state-changing session operation',
        response: { 200: Message },
      },
    },
    async (request) => {
      // The specification gives the operation no effect: only an event is recorded.
      const userId = Number(callerOf(request).subject)
      const record = (trx: DatabaseOrTransaction) =>
        events.emitInTransaction(trx, sensitiveUpdate, { user_id: userId, what: 'transfer' })
      await transact(db, [], record, reauthorize(request))
      return { message: 'Transfer accepted' }
    },
  )
}

function sessionOf({ credential }: Principal) {
  if (credential.scheme !== 'session') {
    throw new ApiError('authenticationRequired', { reason: { code: 'session_expected' } })
  }
  return credential
}
