import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { SentKey } from './schemas.ts'

const message = 'Key revoked, if it was valid'

/** For a person who has found a leaked key. The answer is the same for any text. */
export async function routes(app: App, { apiKeys }: Needs): Promise<void> {
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
      },
      schema: {
        operationId: 'revokeLeakedApiKey',
        summary: 'Revoke a key by its text, for example a leaked one',
        body: SentKey,
        response: { 200: Message },
      },
    },
    async (request) => {
      await apiKeys.revokeText(request.body.key)
      return { message }
    },
  )
}
