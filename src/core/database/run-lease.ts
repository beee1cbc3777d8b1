/**
 * The lease of a run that one process makes for all: a backup, or a verification of the audit log. The
 * process extends the lease while it works, however long the work takes.
 */

/** A process that does not extend its lease for so long is gone. */
export const leaseMs = 30_000
/** How often a process extends its lease. */
export const heartbeatMs = 5000
/** Of versions before 0.11.0, whose nodes may run beside this one. */
const longestLeaseMs = 120_000

/**
 * Whether a process has let its lease run out, or has one of a clock that was set back since.
 * @param at the time by which leases are judged: see `databaseTime`
 */
export function isGone({ locked_until }: { readonly locked_until: number }, at: number): boolean {
  return locked_until <= at || locked_until > at + longestLeaseMs
}
