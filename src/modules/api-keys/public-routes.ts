import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { isKeyText } from './key-text.ts'
import { SentKey } from './schemas.ts'
import { createUnknownKeys } from './unknown-keys.ts'

const message = 'Key revoked, if it was valid'

/** For a person who has found a leaked key. The answer is the same for any text, up to the limit. */
export async function routes(app: App, { apiKeys, clock, config }: Needs): Promise<void> {
  const sent = createUnknownKeys(clock, config.login.perAddress)

  app.post(
    '/api/public/keys/revoke',
    {
      config: {
        tag: 'Tokens',
        access: { rule: anyone },
        csrf: 'exempt', // who knows the key could use it
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        examples: { answer: { message } },
        errors: ['tooManyLoginAttempts'],
      },
      schema: {
        operationId: 'revokeLeakedApiKey',
        summary: 'Revoke a key by its text, for example a leaked one',
        body: SentKey,
        response: { 200: Message },
      },
    },
    async (request) => {
      const { key } = request.body
      if (isKeyText(key)) {
        // Known or not: otherwise the limit would tell whether a key is valid.
        sent.assertFew(request)
        sent.count(request)
        await apiKeys.revokeText(key)
      }
      return { message }
    },
  )
}
