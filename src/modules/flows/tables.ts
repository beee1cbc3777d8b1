import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'flows',
    key: [],
    leftOut: 'sign-ins that are under way for ten minutes, in a browser that waits elsewhere',
    person: {
      column: 'user_id',
      onDelete: 'delete',
      excluded: 'a sign-in under way, for ten minutes',
    },
    namesPerson: {
      columns: ['sealed', 'return_to', 'address'],
      atErasure: 'the row goes; one without an account within an hour',
    },
    namesNone: ['id', 'browser', 'purpose', 'provider', 'step', 'language'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    flows: FlowsTable
  }
}

interface FlowsTable {
  /** Digest of the state, the second-factor ticket, or the page flow's id. */
  id: string
  /** Digest of the browser's cookie. */
  browser: string
  /** `sign_in`, `link`, `second_factor`, or a page purpose. */
  purpose: string
  /** Empty for page flows. */
  provider: string
  /** Null for a sign-in. */
  user_id: number | null
  /** Encrypted under the data key. */
  sealed: string
  return_to: string
  expires_at: number
  /** Rate limit key; empty if an account began the flow. */
  address: Generated<string>
  /** Empty at a provider. */
  step: Generated<string>
  /** Wrong codes. */
  tries: Generated<number>
  language: Generated<string | null>
}
