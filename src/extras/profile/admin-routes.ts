import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { tagged } from '../../core/http/changes/entity-tag.ts'
import { preconditionFailed, resource } from '../../core/http/changes/resource.ts'
import type { App } from '../../core/http/schemas.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { AccountName } from '../../modules/accounts/schemas.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { FieldValues } from './field.ts'
import { ProfileBody, ProfileInput, showField, valueTaken } from './schemas.ts'

const access = { rule: role('ADMIN') }
const path = '/api/admin/accounts/:username/profile'

interface OwnedProfile {
  readonly account: Account
  readonly values: FieldValues
}

/** GET and PUT /api/admin/accounts/{username}/profile: all fields. */
export async function routes(app: App, { accounts, profileValues }: Needs): Promise<void> {
  const show = (profile: FieldValues) => ({
    profile,
    fields: profileValues.fields().map(showField),
  })
  const owned = resource<OwnedProfile>({
    param: 'username',
    missing: 'accountNotFound',
    async load(text) {
      const username = canonicalUsername(text)
      const account = username && (await accounts.byUsername(username))
      return account ? { account, values: await profileValues.of(account.userId, 'admin') } : null
    },
    show: ({ values }) => show(values),
  })

  app.get(
    path,
    {
      config: { access, resource: owned, responseHeaders: ['etag'] },
      schema: {
        operationId: 'getAccountProfile',
        summary: 'The profile of an account: the values of the fields of PROFILE_FILE',
        params: AccountName,
        response: { 200: ProfileBody },
      },
    },
    async (request, reply) => tagged(reply, show(owned.of(request).values)),
  )

  app.put(
    path,
    {
      config: {
        access,
        resource: owned,
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        requestHeaders: ['if-match'],
        responseHeaders: ['etag'],
        errors: [valueTaken],
      },
      schema: {
        operationId: 'updateAccountProfile',
        summary: 'Change values of the profile of an account; others stay, null removes a value',
        params: AccountName,
        body: ProfileInput,
        response: { 200: ProfileBody },
      },
    },
    async (request, reply) => {
      const { account } = owned.of(request)
      const { guard, isWanted } = owned.changeBy(request)
      const values = await profileValues.change(account.userId, request.body.profile, {
        by: 'admin',
        guard,
        assertWanted(current) {
          if (isWanted?.({ account, values: current }) === false) throw preconditionFailed()
        },
      })
      return tagged(reply, show(values))
    },
  )
}
