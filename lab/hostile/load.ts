/** The target of a load: a running service with 3,000 users, and credentials for it. */
export interface Target {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly admin: string
  readonly session: string
}

export interface Sent {
  /** Requests, or connections if their requests stay incomplete. */
  readonly sent: number
  /** The number of answers by status, and of other outcomes of connections by their names. */
  readonly answers: Record<string, number>
}

/**
 * What a hostile caller does for `seconds`. The files `*-loads.ts` of this folder export `loads`.
 */
export interface Load {
  readonly name: string
  /** The maximum of the service's resident memory, in MiB; 512 if absent. */
  readonly memoryMebibytes?: number
  /** The maximum of the medians of other callers, in milliseconds; 50 if absent. */
  readonly medianMs?: number
  run(target: Target, seconds: number): Promise<Sent>
}
