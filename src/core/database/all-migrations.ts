import { contract, expand, type Step } from './migration-kinds.ts'
import * as foundation from './migrations/0001-foundation.ts'
import * as loginLimits from './migrations/0002-login-limits.ts'
import * as revocations from './migrations/0003-revocations.ts'
import * as secondFactor from './migrations/0004-second-factor.ts'
import * as idempotency from './migrations/0005-idempotency.ts'
import * as posts from './migrations/0006-posts.ts'
import * as administration from './migrations/0007-administration.ts'
import * as imports from './migrations/0008-imports.ts'
import * as identities from './migrations/0009-identities.ts'
import * as growth from './migrations/0010-growth.ts'
import * as logins from './migrations/0011-logins.ts'
import * as search from './migrations/0012-search.ts'
import * as hashKinds from './migrations/0013-hash-kinds.ts'
import * as subjects from './migrations/0014-subjects.ts'
import * as sessionAmr from './migrations/0015-session-amr.ts'
import * as moduleSchemas from './migrations/0016-room-schemas.ts'
import * as keyUsage from './migrations/0017-key-usage.ts'
import * as notifiedBySessions from './migrations/0018-notified-by-sessions.ts'
import * as deepPages from './migrations/0019-deep-pages.ts'
import * as audit from './migrations/0020-audit.ts'
import * as refusals from './migrations/0021-refusals.ts'
import * as people from './migrations/0022-people.ts'
import * as forwardAuth from './migrations/0023-forward-auth.ts'
import * as operations from './migrations/0024-operations.ts'
import * as statistics from './migrations/0025-statistics.ts'
import * as accountLists from './migrations/0026-account-lists.ts'
import * as verifications from './migrations/0027-verifications.ts'
import * as sessionAuthTime from './migrations/0028-session-auth-time.ts'
import * as accountDeletions from './migrations/0029-account-deletions.ts'
import * as addedSince from './migrations/0030-added-since.ts'
import * as throttleCounts from './migrations/0034-throttle-counts.ts'
import * as provenErasures from './migrations/0035-proven-erasures.ts'
import * as codesOfFlows from './migrations/0037-codes-of-flows.ts'
import * as queuesOfEndpoints from './migrations/0038-queues-of-endpoints.ts'
import * as pagesByOffset from './migrations/0040-pages-by-offset.ts'
import * as webhookEventNames from './migrations/0041-webhook-event-names.ts'
import * as nodes from './migrations/0042-nodes.ts'
import * as auditIndexes from './migrations/0043-audit-indexes.ts'
import * as recoveryCodes from './migrations/0044-recovery-codes.ts'
import * as keys from './migrations/0045-keys.ts'
import * as passkeys from './migrations/0046-passkeys.ts'
import * as remembered from './migrations/0047-remembered.ts'
import * as provider from './migrations/0049-provider.ts'
import * as clients from './migrations/0050-clients.ts'
import * as registrationTokens from './migrations/0051-registration-tokens.ts'
import * as operation from './migrations/0052-operation.ts'
import * as endsOfApplicationTokens from './migrations/0054-ends-of-application-tokens.ts'
import * as importedIds from './migrations/0055-imported-ids.ts'
import * as profileValues from './migrations/0056-profile-values.ts'
import { type Migration, statementsFor } from './migrations/statement.ts'

/** Append only: released migrations are never edited. */
export const migrations: readonly Step[] = [
  expand(foundation.statements),
  expand(loginLimits.statements),
  expand(revocations.statements),
  expand(secondFactor.statements),
  expand(idempotency.statements),
  expand(posts.statements),
  expand(administration.statements),
  expand(imports.statements),
  expand(identities.statements),
  expand(growth.statements),
  expand(logins.statements),
  expand(search.statements),
  expand(hashKinds.statements),
  contract(subjects.statements),
  expand(sessionAmr.statements),
  expand(moduleSchemas.statements),
  expand(keyUsage.statements),
  expand(notifiedBySessions.statements),
  expand(deepPages.statements),
  expand(audit.statements),
  expand(refusals.statements),
  expand(people.statements),
  expand(forwardAuth.statements),
  expand(operations.statements),
  expand(statistics.statements),
  expand(accountLists.statements),
  expand(verifications.statements),
  expand(sessionAuthTime.statements),
  expand(accountDeletions.statements),
  expand(addedSince.statements),
  expand(throttleCounts.statements),
  expand(provenErasures.statements),
  expand(codesOfFlows.statements),
  expand(queuesOfEndpoints.statements),
  expand(pagesByOffset.statements),
  expand(webhookEventNames.statements),
  expand(nodes.statements),
  expand(auditIndexes.statements),
  expand(recoveryCodes.statements),
  expand(keys.statements),
  expand(passkeys.statements),
  expand(remembered.statements),
  expand(provider.statements),
  expand(clients.statements),
  expand(registrationTokens.statements),
  expand(operation.statements),
  expand(endsOfApplicationTokens.statements),
  expand(importedIds.statements),
  expand(profileValues.statements),
]

export const versionTable =
  'create table if not exists schema_version (version integer primary key, applied_at integer not null) strict'

/** Own migrations of modules, which run after the shared ones. */
export function moduleStatements(
  database: 'sqlite' | 'postgres',
  modules: readonly { readonly migrations?: readonly Migration[] }[],
): string[] {
  return modules.flatMap(({ migrations: own = [] }) =>
    own.flatMap((migration) => statementsFor(database, migration)),
  )
}

/** For an empty database, without modules' schemas. */
export function schemaStatements(database: 'sqlite' | 'postgres'): string[] {
  return [[versionTable], ...migrations.map(({ statements }) => statements)].flatMap((statements) =>
    statementsFor(database, statements),
  )
}
