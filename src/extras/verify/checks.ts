import type { Check } from './check.ts'
import { credentialsChecks } from './checks/credentials.ts'
import { decisionsAdministrationChecks } from './checks/decisions-administration.ts'
import { decisionsLoginChecks } from './checks/decisions-login.ts'
import { decisionsSchemesChecks } from './checks/decisions-schemes.ts'
import { decisionsUsersChecks } from './checks/decisions-users.ts'
import { factorChecks } from './checks/factor.ts'
import { groupsChecks } from './checks/groups.ts'
import { limitsChecks } from './checks/limits.ts'
import { loginChecks } from './checks/login.ts'
import { protocolChecks } from './checks/protocol.ts'
import { tokensChecks } from './checks/tokens.ts'
import { userChangesChecks } from './checks/user-changes.ts'
import { usersChecks } from './checks/users.ts'
import { wrongLoginsChecks } from './checks/wrong-logins.ts'

/** In the order of a run; wrong logins are sorted to the end. */
export const allChecks: readonly Check[] = [
  ...protocolChecks,
  ...usersChecks,
  ...userChangesChecks,
  ...groupsChecks,
  ...loginChecks,
  ...tokensChecks,
  ...credentialsChecks,
  ...factorChecks,
  ...decisionsLoginChecks,
  ...decisionsSchemesChecks,
  ...decisionsUsersChecks,
  ...decisionsAdministrationChecks,
  ...limitsChecks,
  ...wrongLoginsChecks,
]
