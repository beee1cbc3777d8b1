import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../../../test/copies.ts'
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
  import: {
    events: ['sensitive_create'],
    run: ({ run, newName }) => {
      const file = join(folder(), 'users.json')
      const username = newName()
      const user = { id: username, username, name: username, email: `${username}@example.org` }
      writeFileSync(file, JSON.stringify([user]))
      return run(`import --from pocketbase ${file}`)
    },
  },
  'account export': { events: ['sensitive_read'] },
}
