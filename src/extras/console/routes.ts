import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import type { ErrorPage } from '../../core/http/pages/page.ts'
import { refusalPage } from '../../core/http/pages/refusal.ts'
import { loadRenderer } from '../../core/http/pages/renderer.ts'
import { sendRendered } from '../../core/http/pages/send-view.ts'
import { callerOf } from '../../core/http/routes/access.ts'
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
 * GET /admin and subpaths return one page without data. Its script uses the session, and the API
 * authorizes.
 */
export async function routes(app: FastifyInstance, { accounts, config }: Needs): Promise<void> {
  if (!config.console.isOn) return
  const consoleAccess = createConsoleAccess(config)
  for (const path of [consolePath, `${consolePath}/*`]) {
    app.get(
      path,
      {
        config: {
          isDiagnosis: true,
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

/** Without a session: sign-in; without a console role: account page. */
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
  const { renderConsole } = await loadRenderer(request.server.builtPages)
  const [path = ''] = request.url.split('?')
  const { roles } = callerOf(request)
  const frame = request.server.frameOf(request, reader)
  const page = renderConsole(frame, { command: gatehouse, path, roles })
  return sendRendered(reply, request, page, {})
}

/** Returns to this address with its query; slashes stay unescaped. */
function signInFor({ url }: FastifyRequest): string {
  const [path = '', ...query] = url.split('?')
  const fields = query.join('?').replaceAll(/%2f/gi, '/')
  const address = fields === '' ? path : `${path}?${fields}`
  return `/signin?${new URLSearchParams({ return_to: address })}`
}
