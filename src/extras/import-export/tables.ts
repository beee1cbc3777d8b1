import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'imported_ids',
    key: ['source', 'external_id'],
    person: { column: 'user_id', onDelete: 'delete' },
    present: 'isOfPresentUser',
    namesPerson: { columns: ['external_id'], atErasure: 'the row goes' },
    namesNone: ['source'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    imported_ids: ImportedIdsTable
  }
}

interface ImportedIdsTable {
  /** The product, such as `keycloak`. */
  source: string
  external_id: string
  user_id: number
}
