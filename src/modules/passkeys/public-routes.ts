import { fewFieldsBytes, noneIsEmpty } from '../../core/http/bodies/bodies.ts'
import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { loginPurpose } from '../factors/kinds.ts'
import { RequestOptionsBody } from './schemas.ts'

/** For programs with their own pages, and for authenticators. */
export async function routes(app: App, { passkeys }: Needs): Promise<void> {
  app.post(
    '/api/public/passkeys/options',
    {
      config: {
        access: { rule: anyone },
        csrf: 'exempt', // stores nothing
        tag: 'Sign in',
        body: 'optional',
        maxBodyBytes: fewFieldsBytes,
      },
      preValidation: noneIsEmpty,
      schema: {
        operationId: 'beginPasskeyLogin',
        summary: 'Options for a login by a passkey, whose answer POST /login takes as `passkey`',
        body: { type: 'object' },
        response: { 200: RequestOptionsBody },
      },
    },
    () => passkeys.options(loginPurpose),
  )
}
