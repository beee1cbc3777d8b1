import { createReadStream } from 'node:fs'
import type { CommandWork, Terminal } from '../../core/cli/command.ts'
import { assertReadable } from '../../core/cli/files.ts'
import { withServices } from '../../core/cli/work.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'account import',
    options: { 'dry-run': { type: 'boolean', doc: 'finds every mistake and changes nothing' } },
    example: 'account import accounts.jsonl --dry-run',
    async run(call) {
      const { operands, values, terminal } = call
      const [file = '-'] = operands
      if (file !== '-') assertReadable(file)
      const { tellProgress, tellReport } = await import('./report.ts')
      await withServices(call, ['imports'], async ({ imports }) => {
        const report = await imports.run(read(file, terminal), {
          dryRun: values['dry-run'] === true,
          otherwise: 'csv',
          onProgress: tellProgress(terminal),
        })
        tellReport(call, report)
      })
    },
  },
  {
    name: 'account export',
    options: {
      'with-hashes': { type: 'boolean', doc: 'adds the password hashes: keep them safe' },
    },
    example: 'account export > accounts.jsonl',
    run: (call) =>
      withServices(
        call,
        ['accountFields', 'passwords'],
        async ({ accountFields, passwords }, deps) => {
          const { exportAccounts } = await import('./export.ts')
          const withHashes = call.values['with-hashes'] === true
          const unknownHash = await passwords.dummy()
          await call.output.stream(
            exportAccounts(deps, { withHashes, unknownHash, fields: accountFields() }),
          )
        },
      ),
  },
]

function read(file: string, { stdin }: Terminal): AsyncIterable<Uint8Array> {
  return file === '-' ? stdin : createReadStream(file)
}
