/**
 * Tables that grow for longer than the warm-up, because their rows are kept for a fixed time, and that
 * time. All other tables must not grow. A database may lack some of them.
 */
export const keptRows: ReadonlyMap<string, string> = new Map([
  ['audit_chains', '365 days, AUDIT_RETENTION_DAYS'],
  ['audit_records', '365 days, AUDIT_RETENTION_DAYS'],
  ['audit_checkpoints', '365 days, AUDIT_RETENTION_DAYS'],
  ['confirmations', '10 minutes, EMAIL_VERIFICATION_SECONDS of the run'],
  ['erasures', '10 minutes'],
  ['idempotency_keys', '24 hours'],
  ['mails', '30 days'],
  ['refresh_families_ended', 'a day longer than the token'],
  ['refresh_uses', 'a day longer than the token'],
  ['refusals', '24 hours, and at most REJECTIONS_KEPT'],
  ['revocations', 'a day longer than the token'],
  ['row_count_slots', 'for ever; at most 64 for each count'],
  ['statistics_buckets', '48 hours; rows of an hour: 90 days'],
  ['webhook_deliveries', '30 days'],
])
