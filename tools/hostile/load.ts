/** What a load is sent to: a running service with 3,000 users, and what lets a caller in. */
export interface Target {
  readonly host: string
  readonly port: number
  /** The Authorization header of an account with role USER. */
  readonly user: string
  /** That of an administrator. */
  readonly admin: string
  /** The Cookie header of a session of the account with role USER. */
  readonly session: string
}

export interface Sent {
  /** Requests, or connections where a request is never whole. */
  readonly sent: number
  /** How often which status was answered; other words for what else became of a connection. */
  readonly answers: Record<string, number>
}

/** What one hostile caller does, for so many seconds. `*-loads.ts` beside this export `loads`. */
export interface Load {
  readonly name: string
  /** Peak resident memory that the service may have, in MiB; 512 where nothing is said. */
  readonly memoryMebibytes?: number
  run(target: Target, seconds: number): Promise<Sent>
}
