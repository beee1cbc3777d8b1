import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'import_names',
    key: [],
    leftOut: 'of those imports',
    person: {
      column: 'user_id',
      onDelete: { kept: 'they go with their import, within minutes' },
      excluded: 'a name of an import that is under way, for minutes',
    },
    namesPerson: { columns: ['username'], atErasure: 'goes with its import, within minutes' },
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    import_names: ImportNamesTable
  }
}

/** The names on lines of an import that created no account: see 0008-imports.ts. */
interface ImportNamesTable {
  import_id: number
  username: string
  line: number
  user_id: number | null
}
