import type { Config } from '../../core/config/load.ts'

/** Other kinds, such as imported hashes, verify too; the next login replaces them. Spec 5.6. */
export type HashSettings = Omit<Config['password'], 'minLength' | 'breachUrl' | 'hashesAtOnce'>
