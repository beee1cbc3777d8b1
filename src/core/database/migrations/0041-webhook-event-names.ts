import type { Migration } from './statement.ts'

const renamed = {
  email_login_begun: 'email_login_requested',
  email_verification_begun: 'email_verification_requested',
  password_reset_begun: 'password_reset_requested',
  sign_up_begun: 'sign_up_requested',
  audit_not_whole: 'audit_integrity_failed',
}

/**
 * Adds the current names to subscriptions with former names: nodes of 0.12.0 compare subscribed
 * names with events of newer nodes, and reload endpoints when `updated_at` differs.
 */
export const statements: Migration = Object.entries(renamed).map(
  ([former, present]) =>
    `update webhook_endpoints
     set events = replace(events, '"${former}"', '"${former}","${present}"'), updated_at = updated_at + 1
     where events like '%"${former}"%' and events not like '%"${present}"%'`,
)
