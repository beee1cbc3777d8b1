import { Count, exactly, named, TextOrNull, TimeOrNull } from '../../core/http/schemas.ts'
import type { Role } from '../../core/policy/principal.ts'
import type { AccountDetail } from '../../modules/accounts/account-detail.ts'
import { accountSchemas, annsAccount } from '../../modules/accounts/schemas.ts'
import { IdentityList } from '../../modules/federation/schemas.ts'
import { LoginLimit } from '../../modules/login/schemas.ts'
import { ann, UserBody } from '../../modules/users/schemas.ts'
import { maxPosts } from './store.ts'

export function accountDetailsSchema(roles: readonly Role[], more: readonly AccountDetail[]) {
  const { AccountBody } = accountSchemas(roles)
  const Password = exactly({
    is_set: { type: 'boolean', description: 'Without one its owner signs in by other ways' },
    changed_at: {
      ...TimeOrNull,
      description: 'Null if it was imported, or if that is not known',
    },
    must_change: { type: 'boolean', description: 'The next login must set a password' },
  })
  const Factor = exactly({
    confirmed_at: { ...TimeOrNull, description: 'Null if that was before version 0.9.0' },
    recovery_codes_left: Count,
  })
  const fields = {
    account: AccountBody,
    user: UserBody,
    last_login_at: {
      ...TimeOrNull,
      description: 'Null before the first login, or the first one since version 0.9.0',
    },
    failed_logins: { ...Count, description: 'In a row, over all addresses' },
    locked_until: { ...TimeOrNull, description: 'The end of a lockout; null if there is none now' },
    last_administrator: {
      type: 'boolean',
      description:
        'No other account could administer the service: it is neither deleted, locked nor demoted',
    },
    imported: {
      type: 'boolean',
      description: 'Whether an import has made it; a restored database does not know',
    },
    language: { ...TextOrNull, description: 'Of pages and mail; null: that of the browser' },
    password: Password,
    second_factor: { anyOf: [Factor, { type: 'null' }] },
    identities: IdentityList,
    sessions: { ...Count, description: 'How many are live; at most 1,000' },
    devices: { ...Count, description: 'How many devices have signed in, that are known still' },
    tokens_issued: {
      ...Count,
      description:
        'How many access tokens were issued within their lifetime, by the audit log; at most 100, and some may have ended. Tokens are not stored',
    },
    limits: {
      type: 'array',
      items: LoginLimit,
      description: 'The limits that count failed tries of it now, the last used first; at most 100',
    },
    posts: { ...Count, description: `Up to ${maxPosts}, which stands for any more` },
  } as const
  const others = Object.fromEntries(more.map(({ name, schema }) => [name, schema]))
  return named(
    'AccountDetails',
    {
      type: 'object',
      required: [...Object.keys(fields), ...Object.keys(others)] as (keyof typeof fields)[],
      // Only fixed fields are typed; each module checks its own.
      properties: { ...fields, ...others } as typeof fields,
      additionalProperties: false,
    },
    {
      account: annsAccount,
      user: ann,
      last_login_at: '2026-03-02T09:40:00.000Z',
      failed_logins: 0,
      locked_until: null,
      last_administrator: false,
      imported: false,
      language: 'en',
      password: { is_set: true, changed_at: '2026-03-02T09:00:00.000Z', must_change: false },
      second_factor: null,
      identities: [],
      sessions: 1,
      devices: 1,
      tokens_issued: 0,
      limits: [],
      posts: 3,
      ...Object.fromEntries(more.map(({ name, example }) => [name, example])),
    },
  )
}
