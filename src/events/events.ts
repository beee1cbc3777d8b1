import type { Logger } from 'pino'

/**
 * What happened, in the words of the OWASP Logging Vocabulary. Each becomes one log line with its
 * name in `event`; nothing in it is a credential. Usernames are logged once they are known to name
 * an account: people type passwords into the wrong field.
 */
export type EventName =
  | 'authn_login_success'
  | 'authn_login_fail'
  | 'authn_login_fail_max'
  | 'authn_login_lock'
  | 'authn_password_change'
  | 'authn_password_change_fail'
  | 'authn_token_created'
  | 'authn_token_reuse'
  | 'authn_token_revoked'
  | 'authz_admin'
  | 'backup_made'
  | 'backup_restored'
  | 'database_moved'
  | 'password_breach_query_fail'
  | 'identity_linked'
  | 'identity_provider_fail'
  | 'identity_unlinked'
  | 'key_retired'
  | 'key_rotated'
  | 'mfa_codes_renewed'
  | 'mfa_enrolled'
  | 'mfa_fail'
  | 'mfa_removed'
  | 'post_created'
  | 'post_deleted'
  | 'post_locked'
  | 'post_unlocked'
  | 'post_updated'
  | 'privilege_permissions_changed'
  | 'sensitive_create'
  | 'sensitive_read'
  | 'sensitive_update'
  | 'session_created'
  | 'session_ended'
  | 'sys_commits_lost'
  | 'sys_shutdown'
  | 'sys_startup'
  | 'user_created'
  | 'user_deleted'
  | 'user_updated'

export type EventFields = Readonly<
  Record<string, string | number | boolean | readonly string[] | null>
>

export interface Events {
  record(event: EventName, fields: EventFields): void
}

const warned = new Set<EventName>([
  'authn_login_fail',
  'authn_login_fail_max',
  'authn_login_lock',
  'authn_password_change_fail',
  'identity_provider_fail',
  'password_breach_query_fail',
  'sys_commits_lost',
])

export function logEvents(log: Logger): Events {
  return {
    record: (event, fields) => log[warned.has(event) ? 'warn' : 'info']({ event, ...fields }),
  }
}
