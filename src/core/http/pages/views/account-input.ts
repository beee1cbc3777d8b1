import type { Language } from '../../../lib/languages.ts'

/** An input of a form. */
export interface AccountInput {
  readonly name: string
  readonly labels: Readonly<Record<Language, string>>
  readonly kind: 'text' | 'email' | 'number' | 'flag' | 'choice'
  readonly choices: readonly string[]
  readonly isRequired: boolean
}

/** An input as a page shows it. */
export interface ShownInput extends AccountInput {
  /** As typed; `1` for a flag that is set. */
  readonly value: string
  readonly problem: InputProblem | null
}

export type InputProblem = 'missing' | 'invalid' | 'taken'
