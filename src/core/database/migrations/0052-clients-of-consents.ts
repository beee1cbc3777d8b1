import type { Migration } from './statement.ts'

/** Who has given an application access. */
export const statements: Migration = [
  'create index provider_consents_by_client on provider_consents (client, user_id)',
  // Grants alone: an index of all tokens would cost each of them a write.
  `create index provider_grants_by_client on provider_artifacts (client, user_id)
    where kind = 'Grant'`,
]
