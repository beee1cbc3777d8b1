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

/** Flows that are under way: at a provider, or on pages. */
interface FlowsTable {
  /** Digest of the state, of the ticket for the second factor, or of the id of a flow of pages. */
  id: string
  /** Digest of the cookie of the browser that began the flow. */
  browser: string
  /** `sign_in`, `link`, `second_factor`, or a purpose of pages. */
  purpose: string
  /** Empty for a flow of pages. */
  provider: string
  /** The account that links, or whose second factor is required; null for a sign-in. */
  user_id: number | null
  /** The secrets of the flow, encrypted under the data key. */
  sealed: string
  return_to: string
  expires_at: number
  /** The client of a sign-in by the key of its limits; empty if an account began the flow. */
  address: Generated<string>
  /** The step that a flow of pages is at; empty for one at a provider. */
  step: Generated<string>
  /** How many wrong codes were typed. */
  tries: Generated<number>
  language: Generated<string | null>
}
