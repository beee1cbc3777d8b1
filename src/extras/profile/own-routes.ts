import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { authenticated } from '../../core/policy/rules.ts'
import { ownAccount, ownAccountPrefixes, ownOperationId } from '../../modules/accounts/look-up.ts'
import { mayRead } from './field.ts'
import { ProfileBody, ProfileInput, showField, valueTaken } from './schemas.ts'

export const prefixes = ownAccountPrefixes

const access = { rule: authenticated }
const tag = 'Own account'

/** Below /api/user/account (role USER) and /api/account (any account). */
export async function routes(app: App, { accounts, profileValues }: Needs): Promise<void> {
  const idOf = (id: string) => ownOperationId(id, app.prefix)
  const show = async (userId: number) => ({
    profile: await profileValues.of(userId, 'owner'),
    fields: profileValues
      .fields()
      .filter((field) => mayRead(field, 'owner'))
      .map(showField),
  })

  app.get(
    '/profile',
    {
      config: { tag, access, errors: ['accountNotFound'] },
      schema: {
        operationId: idOf('getOwnProfile'),
        summary: "One's own profile: the values of the fields of PROFILE_FILE",
        response: { 200: ProfileBody },
      },
    },
    async (request) => show((await ownAccount(accounts, request)).userId),
  )

  app.put(
    '/profile',
    {
      config: {
        tag,
        access,
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        errors: ['accountNotFound', valueTaken],
      },
      schema: {
        operationId: idOf('changeOwnProfile'),
        summary: "Change values of one's own profile; others stay, null removes a value",
        body: ProfileInput,
        response: { 200: ProfileBody },
      },
    },
    async (request) => {
      const { userId } = await ownAccount(accounts, request)
      const guard = reauthorize(request)
      await profileValues.change(userId, request.body.profile, { by: 'owner', guard })
      return show(userId)
    },
  )
}
