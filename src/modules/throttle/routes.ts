import { ApiError } from '../../core/errors.ts'
import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { ChallengeBody } from './schemas.ts'

/** GET /api/public/captcha: a challenge before a login asks for one. 404 without captchas. */
export async function routes(app: App, { config, captcha }: Needs): Promise<void> {
  app.get(
    '/api/public/captcha',
    {
      config: { access: { rule: anyone }, errors: ['routeNotFound'] },
      schema: {
        operationId: 'getCaptcha',
        summary: 'A proof of work for POST /login; its solution goes into the field captcha',
        response: { 200: ChallengeBody },
      },
    },
    async () => {
      if (config.login.proofOfWorkAfter === 0) {
        throw new ApiError('routeNotFound', { reason: { code: 'captchas_off' } })
      }
      return captcha.challenge()
    },
  )
}
