import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import type { ErrorPage } from '../../core/http/pages/page.ts'
import { refusalPage } from '../../core/http/pages/refusal.ts'
import { loadRenderer } from '../../core/http/pages/renderer.ts'
import { sendRendered } from '../../core/http/pages/send-view.ts'
import { Page } from '../../core/http/schemas.ts'
import { isLanguage } from '../../core/lib/languages.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { ownAccount } from '../../modules/accounts/look-up.ts'
import {
  type ConsoleAccess,
  consolePath,
  createConsoleAccess,
  ownAccountPath,
  readers,
} from './access.ts'
import { consoleElsewhere } from './problems.ts'

/**
 * Console module: GET /admin and every address below it answer one page without data, whose script
 * shows the view of the address. It asks the API with the session, and the API decides.
 */
export async function routes(app: FastifyInstance, { accounts, config }: Needs): Promise<void> {
  if (!config.console.isOn) return
  const consoleAccess = createConsoleAccess(config)
  for (const path of [consolePath, `${consolePath}/*`]) {
    app.get(
      path,
      {
        config: {
          access: { rule: role(...readers), schemes: ['session'] },
          errorPage,
          answers: { 200: { [mediaTypes.html]: Page } },
          errors: [consoleElsewhere],
        },
        schema: { hide: true },
      },
      (request, reply) => open({ accounts, consoleAccess }, request, reply),
    )
  }
}

/** Without a session the sign-in comes first; without a role of the console there is the account. */
const errorPage: ErrorPage = (error, request) => {
  if (error.row === 'authenticationRequired') return { location: signInFor(request) }
  if (error.row === 'accessDenied') return { location: ownAccountPath }
  return refusalPage(error, request, error.row === consoleElsewhere ? null : consolePath)
}

async function open(
  { accounts, consoleAccess }: Pick<Needs, 'accounts'> & { readonly consoleAccess: ConsoleAccess },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (!consoleAccess.isAllowedFrom(request)) {
    throw new ApiError(consoleElsewhere, { reason: { code: 'console_address' } })
  }
  const { language, username } = await ownAccount(accounts, request)
  const reader = { person: username, language: isLanguage(language) ? language : null }
  const { renderConsole } = await loadRenderer()
  const page = renderConsole(request.server.frameOf(request, reader), gatehouse)
  return sendRendered(reply, request, page, {})
}

/** The sign-in that leads back to this address, with its fields, in which a slash needs no code. */
function signInFor({ url }: FastifyRequest): string {
  const [path = '', ...query] = url.split('?')
  const fields = query.join('?').replaceAll(/%2f/gi, '/')
  const address = fields === '' ? path : `${path}?${fields}`
  return `/signin?${new URLSearchParams({ return_to: address })}`
}
