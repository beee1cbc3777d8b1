import type { CommandExamples, Examples } from '../../../test/example.ts'
import { line, ndjson } from '../../../test/transfer.ts'

export const examples: Examples = {
  listImports: {},
  importAccounts: [
    {
      events: ['sensitive_create'],
      make: ({ newName }) => ({ lines: ndjson([line(newName()), line(newName())]) }),
    },
    {
      make: ({ newName }) => ({
        path: '/api/admin/import/accounts?dry_run=true',
        lines: ndjson([line(newName())]),
      }),
    },
  ],
  exportAccounts: { events: ['sensitive_read'] },
}

export const commands: CommandExamples = {
  'account import': {
    events: ['sensitive_create'],
    run: ({ run, newName }) => run('account import -', { stdin: ndjson([line(newName())]) }),
  },
  'account export': { events: ['sensitive_read'] },
}
