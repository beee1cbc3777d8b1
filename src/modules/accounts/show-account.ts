import type { Static } from '../../core/http/schemas.ts'
import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import { type Role, rolesAmong } from '../../core/policy/principal.ts'
import type { Account } from '../authentication/account.ts'
import type { AccountSchemas } from './schemas.ts'

export function shownWith(roles: readonly Role[]) {
  return (account: Account): Static<AccountSchemas['AccountBody']> => ({
    username: account.username,
    user_id: account.userId,
    roles: rolesAmong(account.roles, roles),
    locked: account.locked,
    active: account.active,
    second_factor: account.secondFactor,
    deletion_at: isoTimeOrNull(account.deletionAt),
    created_at: isoTime(account.createdAt),
  })
}
