import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import { type ExportSection, single } from '../../core/module/export-section.ts'
import { afterwards, inTransaction, subscribersOf } from '../../core/module/hooks.ts'
import { hook, service } from '../../core/module/service.ts'
import { type AccountClaims, allClaims } from './account-claims.ts'
import type { AccountField } from './account-field.ts'
import { type AccountList, createAccountList } from './account-list.ts'
import { type Accounts, createAccounts, isAdministratorsUser } from './accounts.ts'
import { type AutomaticLock, createAutomaticLock } from './lock.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly accountClaims: AccountClaims
    readonly accountFields: () => readonly AccountField[]
    readonly accountList: AccountList
    readonly accounts: Accounts
    readonly lock: AutomaticLock
  }
}

export const services = [
  service({
    needs: ['isBreached', 'passwords', 'requirements'],
    makes: ['accounts'],
    hooks: ['onAccountEnded', 'onAccountChanged'],
    create: ({ log, onAccountEnded, onAccountChanged, ...needs }) => ({
      accounts: createAccounts({
        ...needs,
        hooks: { ended: inTransaction(onAccountEnded), changed: afterwards(onAccountChanged, log) },
      }),
    }),
  }),
  service({
    makes: ['lock'],
    hooks: ['onLockedOut'],
    create: ({ onLockedOut, ...needs }) => ({
      lock: createAutomaticLock({ ...needs, endSignIns: inTransaction(onLockedOut) }),
    }),
  }),
  service({
    makes: ['accountClaims'],
    hooks: ['accountClaims'],
    create: ({ accountClaims }) => ({ accountClaims: allClaims(accountClaims) }),
  }),
  service({
    makes: ['accountFields'],
    hooks: ['accountField'],
    create: ({ accountField }) => ({ accountFields: () => subscribersOf(accountField) }),
  }),
  service({
    makes: ['accountList'],
    create: (needs) => ({ accountList: createAccountList(needs) }),
  }),
]

export const hooks = [
  hook('isPrivileged', [], () => isAdministratorsUser),
  hook('onUserRemoved', ['accounts'], ({ accounts }) => accounts.removeWithUser),
  hook('personSections', [], () => sections),
]

const sections: readonly ExportSection[] = [
  single({ name: 'account', tables: ['accounts', 'role_assignments'] }, async (db, userId) => {
    const row = await db
      .selectFrom('accounts')
      .selectAll()
      .where('user_id', '=', userId)
      .executeTakeFirst()
    if (!row) return null
    const roles = await db
      .selectFrom('role_assignments')
      .select('role')
      .where('account', '=', userId)
      .orderBy('role')
      .execute()
    return {
      username: row.username,
      roles: roles.map(({ role }) => role),
      locked: row.locked === 1,
      active: (row.active_kept ?? row.active) === 1,
      deletion_at: isoTimeOrNull(row.deletion_at),
      second_factor: row.second_factor === 1,
      failed_logins: row.failed_logins,
      locked_until: isoTimeOrNull(row.locked_until),
      created_at: isoTime(row.created_at),
      last_login_at: isoTimeOrNull(row.last_login_at === 0 ? null : row.last_login_at),
      last_password_login_at: isoTimeOrNull(row.last_password_login_at),
      verified_email: row.verified_email,
      email_verified_at: isoTimeOrNull(row.email_verified_at),
      undeliverable_at: isoTimeOrNull(row.undeliverable_at),
      undeliverable_reason: row.undeliverable_reason,
      language: row.language,
    }
  }),
]
