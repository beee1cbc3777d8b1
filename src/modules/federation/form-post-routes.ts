import { acceptForms, fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import { sendView } from '../../core/http/pages/send-view.ts'
import { type App, Page } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { handedOn } from './hand-on.ts'
import { failurePage } from './pages.ts'
import { signInProvider } from './providers.ts'
import { PostedReturn, ProviderName, SentReturn } from './schemas.ts'

/**
 * Back from a provider that posts (Apple). A POST from another site has none of our cookies: only
 * the browser's next request, from our page, is judged. docs/adr/0102
 */
export async function routes(app: App, { providers }: Needs): Promise<void> {
  acceptForms(app)

  for (const base of ['/oauth', '/oauth/:provider']) {
    const params = base === '/oauth' ? {} : { params: ProviderName }
    app.post(
      `${base}/callback`,
      {
        config: {
          access: { rule: anyone },
          errorPage: failurePage,
          csrf: 'exempt', // changes nothing, and reads no cookie
          body: 'parameters',
          maxBodyBytes: fewFieldsBytes,
          sends: SentReturn,
          answers: { 200: { [mediaTypes.html]: Page } },
          errors: ['routeNotFound', 'signInFailed'],
        },
        schema: {
          operationId: base === '/oauth' ? 'handOnSignIn' : 'handOnSignInWithProvider',
          summary: 'Back from an identity provider that posts a form: a page that goes on',
          body: PostedReturn,
          ...params,
        },
      },
      async (request, reply) => {
        signInProvider(providers, request)
        const query = handedOn(request.body as Record<string, unknown>) // a form, by its schema
        const path = `${request.url.split('?', 1)[0]}?${query}`
        return sendView(reply, request, 'landing', { what: 'came_back', path })
      },
    )
  }
}
