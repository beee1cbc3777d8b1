import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { loginPurpose } from '../factors/kinds.ts'
import { Endpoints, RelatedOrigins, RequestOptionsBody } from './schemas.ts'

/** For programs with their own pages, and for authenticators. */
export async function routes(app: App, { config, passkeys }: Needs): Promise<void> {
  const page = `${config.baseUrl}/account/passkeys`

  app.post(
    '/api/public/passkeys/options',
    {
      config: {
        access: { rule: anyone },
        csrf: 'exempt', // stores nothing
        tag: 'Sign in',
      },
      schema: {
        operationId: 'beginPasskeyLogin',
        summary: 'Options for a login by a passkey, whose answer POST /login takes as `passkey`',
        response: { 200: RequestOptionsBody },
      },
    },
    () => passkeys.options(loginPurpose),
  )

  app.get(
    '/.well-known/passkey-endpoints',
    {
      config: { access: { rule: anyone }, tag: 'Sign in' },
      schema: {
        operationId: 'passkeyEndpoints',
        summary: 'Where a person adds and manages passkeys, for managers of passwords',
        response: { 200: Endpoints },
      },
    },
    async () => ({ enroll: page, manage: page }),
  )

  app.get(
    '/.well-known/webauthn',
    {
      config: { access: { rule: anyone }, tag: 'Sign in' },
      schema: {
        operationId: 'relatedOrigins',
        summary: 'Other origins whose pages may use the passkeys of this domain, for browsers',
        response: { 200: RelatedOrigins },
      },
    },
    async () => ({ origins: [...config.passkeys.relatedOrigins] }),
  )
}
