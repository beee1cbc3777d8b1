import { ApiError } from '../../core/errors.ts'
import { positiveInteger } from '../../core/http/lists/paging.ts'
import { type App, idIn } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { isUsable } from '../../modules/authentication/account.ts'
import { PublicProfileBody } from './schemas.ts'

/** GET /api/public/profiles/{id}: the values that everyone may read. */
export async function routes(app: App, { accounts, profileValues }: Needs): Promise<void> {
  app.get(
    '/api/public/profiles/:id',
    {
      config: { access: { rule: anyone }, params: idIn(7), tag: 'Users', errors: ['userNotFound'] },
      schema: {
        operationId: 'getPublicProfile',
        summary: 'The values of a profile that everyone may read; 404 if there are none',
        response: { 200: PublicProfileBody },
      },
    },
    async (request) => {
      const id = positiveInteger((request.params as { readonly id: string }).id)
      const account = id === null ? null : await accounts.byUserId(id)
      const values =
        account && isUsable(account) ? await profileValues.of(account.userId, 'public') : {}
      if (!account || Object.keys(values).length === 0) {
        throw new ApiError('userNotFound', { reason: { code: 'no_public_profile' } })
      }
      return { user_id: account.userId, profile: values }
    },
  )
}
