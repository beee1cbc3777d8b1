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

/** Why requests were refused, for a day: see explain/. */
interface RefusalsTable {
  /** The id of the request. */
  id: string
  at: number
  status: number
  /** The name of the error. */
  error: string
  method: string
  /** The pattern of the route; null if the path is unknown. */
  route: string | null
  code: string
  /** JSON. */
  facts: string
  scheme: string | null
  /** The caller, or the user of the account concerned. */
  subject: string | null
  address: string
  /** The address, or the /64 network of an IPv6 address. */
  network: string
}
