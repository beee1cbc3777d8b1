import type { Words } from '../lib/languages.ts'

/**
 * `error`: broken or vulnerable; `warning`: soon broken or weaker; `info`: advice; `unknown`: the
 * check failed to run, which is never a pass.
 */
export const levels = ['error', 'warning', 'info', 'unknown'] as const
export type Level = (typeof levels)[number]

/** How to fix a finding. */
export interface Mend {
  readonly do: Words
  /** A line of the environment, or a command. */
  readonly setting?: string
  /** Lines of an nginx `server` or `location`. */
  readonly nginx?: string
  /** Lines of a Caddyfile site. */
  readonly caddy?: string
}

export interface Check<Context> {
  /** Stable: used by monitoring. */
  readonly id: string
  /** Default level of findings. */
  readonly level: Exclude<Level, 'unknown'>
  /** What is true without findings: for docs/doctor.md, which is English. */
  readonly passMessage: string
  readonly why: Words
  readonly mend: Mend
  /** Settings whose startup warnings this check replaces. */
  readonly covers?: readonly string[]
  /** Empty on success. @throws CouldNotCheck */
  readonly find: (context: Context) => readonly Found[] | Promise<readonly Found[]>
}

export interface Found {
  /** May contain text of another host: the report escapes it. */
  readonly what: Words
  readonly level?: Level
  readonly mend?: Partial<Mend>
}

/** The message gives the reason. */
export class CouldNotCheck extends Error {
  readonly words: Words

  constructor(words: Words, options?: ErrorOptions) {
    super(words.en, options)
    this.name = 'CouldNotCheck'
    this.words = words
  }
}
