/**
 * How bad a finding is. `error`: broken, or open to an attack; `warning`: it will be, or weakens a
 * defence; `info`: advice; `unknown`: the check could not be made, which is never as good as a check
 * that found nothing.
 */
export const levels = ['error', 'warning', 'info', 'unknown'] as const
export type Level = (typeof levels)[number]

/** What mends a finding: a sentence, and the exact lines where there are some. */
export interface Mend {
  readonly do: string
  /** A line of the environment of the service, or a command. */
  readonly setting?: string
  /** Lines of the `server` or `location` of nginx. */
  readonly nginx?: string
  /** Lines of the site in a Caddyfile. */
  readonly caddy?: string
}

/** A row of the table of checks: docs/doctor.md shows each of them. */
export interface Check<Context> {
  /** Stays as it is: monitoring goes by it. */
  readonly id: string
  /** Of its findings, unless one of them says otherwise. */
  readonly level: Exclude<Level, 'unknown'>
  /** A phrase for a deployment without a finding. */
  readonly passMessage: string
  readonly why: string
  readonly mend: Mend
  /** Settings whose warnings at the start this check replaces. */
  readonly covers?: readonly string[]
  /** Answers nothing if all is well. @throws CouldNotCheck */
  readonly find: (context: Context) => readonly Found[] | Promise<readonly Found[]>
}

/** What a check has found; what it does not say is that of its row. */
export interface Found {
  /** A sentence. May hold what another host has sent: the report escapes it. */
  readonly what: string
  readonly level?: Level
  readonly mend?: Partial<Mend>
}

/** A check could not be made; the message says why. */
export class CouldNotCheck extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CouldNotCheck'
  }
}
