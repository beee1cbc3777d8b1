import type { Migration } from './statement.ts'

const renamed = {
  email_login_begun: 'email_login_requested',
  email_verification_begun: 'email_verification_requested',
  password_reset_begun: 'password_reset_requested',
  sign_up_begun: 'sign_up_requested',
  audit_not_whole: 'audit_integrity_failed',
}

/**
 * Subscriptions to a former name get the present name too: a node of 0.12.0 compares the names of
 * subscriptions with events of newer nodes. The node reads the endpoints again if `updated_at` differs.
 */
export const statements: Migration = Object.entries(renamed).map(
  ([former, present]) =>
    `update webhook_endpoints
     set events = replace(events, '"${former}"', '"${former}","${present}"'), updated_at = updated_at + 1
     where events like '%"${former}"%' and events not like '%"${present}"%'`,
)
