import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'refusals',
    key: [],
    leftOut: 'kept for a day, to explain refusals of the service that wrote them',
    namesPerson: {
      columns: ['facts', 'subject', 'address', 'network'],
      atErasure: 'the rows of the person go; ids and addresses alone, no names',
    },
    namesNone: ['id', 'error', 'method', 'route', 'code', 'scheme'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    refusals: RefusalsTable
  }
}

/** Kept for one day. */
interface RefusalsTable {
  id: string
  at: number
  status: number
  error: string
  method: string
  /** The pattern; null for an unknown path. */
  route: string | null
  code: string
  /** JSON. */
  facts: string
  scheme: string | null
  subject: string | null
  address: string
  /** The address, or its IPv6 /64. */
  network: string
}
