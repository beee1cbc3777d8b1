import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts } from '../accounts/accounts.ts'
import { isLanguage } from '../config/languages.ts'
import type { Config } from '../config/load.ts'
import { mediaTypes } from '../http/media-types.ts'
import { refusalPage } from '../http/pages/refusal.ts'
import { loadRenderer } from '../http/pages/renderer.ts'
import { sendRendered } from '../http/pages/send-view.ts'
import { Page } from '../http/schemas.ts'
import { sessionOf } from '../pages/sign-in/sessions.ts'
import { anyone } from '../policy/rules.ts'
import type { Sessions } from '../session/sessions.ts'

export interface ConsoleOptions {
  readonly accounts: Pick<Accounts, 'byUserId'>
  readonly config: Pick<Config, 'session'>
  readonly sessions: Sessions
}

/** Those that find something in the console; all others have their own account. */
const readers: readonly string[] = ['ADMIN', 'EDITOR']

/**
 * Console room: GET /admin and every address below it answer one page without data, whose script
 * shows the view of the address. It asks the API with the session, and the API decides.
 */
export async function consoleRoutes(app: FastifyInstance, options: ConsoleOptions): Promise<void> {
  for (const path of ['/admin', '/admin/*']) {
    app.get(
      path,
      {
        config: {
          access: { rule: anyone },
          errorPage: (error, request) => refusalPage(error, request, '/admin'),
          answers: { 200: { [mediaTypes.html]: Page }, 303: {} },
        },
        schema: { hide: true },
      },
      (request, reply) => open(options, request, reply),
    )
  }
}

async function open(
  options: ConsoleOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const session = await sessionOf(options, request)
  const account = session && (await options.accounts.byUserId(session.stored.userId))
  if (!account) {
    return reply.redirect(`/signin?${new URLSearchParams({ return_to: request.url })}`, 303)
  }
  if (!account.roles.some((name) => readers.includes(name))) return reply.redirect('/account', 303)
  const reader = {
    person: account.username,
    language: isLanguage(account.language) ? account.language : null,
  }
  const { renderConsole } = await loadRenderer()
  return sendRendered(reply, request, renderConsole(request.server.frameOf(request, reader)), {})
}
