import type { FastifyInstance } from 'fastify'
import { limitPageRequests } from '../../core/http/limits/page-requests.ts'
import { contentTypes, mediaTypes } from '../../core/http/media-types.ts'
import { prefersPage, varyByAccept } from '../../core/http/pages/negotiation.ts'
import { sendView } from '../../core/http/pages/send-view.ts'
import { exactly, named, Page, Text } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { defaultName } from '../../modules/federation/provider-settings.ts'
import { home } from '../../modules/flows/return-to.ts'
import { sessionOf } from '../../modules/pages/sign-in/sessions.ts'
import { troublePage } from './page.ts'

const Link = exactly({
  href: { type: 'string', description: 'A path of this service' },
  access: { type: 'string', enum: ['anyone', 'ADMIN'], description: 'Who may read it' },
})

const homeSchema = (links: readonly string[]) =>
  named(
    'Home',
    exactly({
      name: Text,
      links: exactly(Object.fromEntries(links.map((name) => [name, Link]))),
      sign_in: {
        type: 'array',
        description: 'The identity providers that a browser can sign in with',
        items: exactly({
          name: { type: 'string', description: 'A name of `OIDC_PROVIDERS`, or `default`' },
          href: { type: 'string', description: 'A path that a browser opens' },
        }),
      },
    }),
    {
      name: 'Gatehouse',
      links: {
        documentation: { href: '/api/docs', access: 'ADMIN' },
        openapi: { href: '/api/openapi.json', access: 'ADMIN' },
        jwks: { href: '/.well-known/jwks.json', access: 'anyone' },
        health: { href: '/health/ready', access: 'anyone' },
        status: { href: '/api/public/status', access: 'anyone' },
      },
      sign_in: [{ name: 'acme', href: '/oauth/acme/login' }],
    },
  )

/** The sign-in page without a return address. */
const firstPage = { action: '/signin', returnTo: home, isOpen: true }

/**
 * Browser navigations get a page, other clients JSON; public content only. Signed-in users are
 * redirected to the console or account.
 */
export async function routes(app: FastifyInstance, options: Needs): Promise<void> {
  limitPageRequests(app, prefersPage)
  const { accounts, config, providers } = options
  const landings = options.landings()
  const documents = config.environment === 'production' ? 'ADMIN' : 'anyone'
  const hasReference = app.hasRoute({ method: 'GET', url: '/api/docs' })
  const links = {
    ...(hasReference && {
      documentation: { href: '/api/docs', access: documents },
      openapi: { href: '/api/openapi.json', access: documents },
    }),
    jwks: { href: '/.well-known/jwks.json', access: 'anyone' },
    health: { href: '/health/ready', access: 'anyone' },
    status: { href: '/api/public/status', access: 'anyone' },
  } as const
  const developers = config.environment === 'production' ? null : links
  const additions = options.signInAdditions()
  const signIn = providers.all
    .filter((provider) => provider.config.client)
    .map(({ config: { label, name } }) => {
      const base = name === defaultName ? '/oauth' : `/oauth/${encodeURIComponent(name)}`
      return { name, href: `${base}/login`, logout: `${base}/logout`, label }
    })

  app.get(
    '/',
    {
      config: {
        access: { rule: anyone },
        errorPage: troublePage,
        answers: {
          200: { [mediaTypes.json]: homeSchema(Object.keys(links)), [mediaTypes.html]: Page },
          303: {},
        },
        responseHeaders: ['set-cookie'],
      },
      schema: { operationId: 'getHome', summary: 'What this service is; a page for a browser' },
    },
    async (request, reply) => {
      varyByAccept(reply)
      if (prefersPage(request)) {
        const session = await sessionOf(options, request)
        const account = session && (await accounts.byUserId(session.stored.userId))
        if (account) {
          const landing = landings.map((pathOf) => pathOf(account, request)).find(Boolean)
          return reply.redirect(landing ?? '/account', 303)
        }
        const links = additions.flatMap((one) => one.link?.(firstPage) ?? [])
        return sendView(reply, request, 'home', { signIn, links, developers })
      }
      return reply.type(contentTypes.json).send({
        name: 'Gatehouse',
        links,
        sign_in: signIn.map(({ name, href }) => ({ name, href })),
      })
    },
  )
}
