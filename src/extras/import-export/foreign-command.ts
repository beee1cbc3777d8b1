import { createReadStream, readFileSync, statSync } from 'node:fs'
import { type CommandCall, type CommandWork, textOf, UsageError } from '../../core/cli/command.ts'
import { assertReadable } from '../../core/cli/files.ts'
import { withServices } from '../../core/cli/work.ts'
import { FormatError } from './foreign/format.ts'
import { foreignReader, formatNames, loadFormat } from './foreign/formats.ts'
import { type RoleMap, readRoleMap, roleMap } from './foreign/role-map.ts'

const maxOptionFileBytes = 1_048_576
const previewedLines = 100

export const commands: readonly CommandWork[] = [
  {
    name: 'import',
    options: {
      from: { type: 'string', value: 'product', values: formatNames, doc: 'whose export it is' },
      roles: {
        type: 'string',
        value: 'file',
        doc: 'JSON: names of their roles and groups to ours; others give no role',
      },
      'hash-config': {
        type: 'string',
        value: 'file',
        doc: 'of firebase: the password hash parameters of the project',
      },
      'dry-run': { type: 'boolean', doc: 'finds every mistake and changes nothing' },
    },
    example: 'import --from keycloak --roles roles.json realm-export.json --dry-run',
    async run(call) {
      const [file = ''] = call.operands
      const from = textOf(call, 'from') ?? ''
      const format = await loadFormat(from)
      if (!format) throw new UsageError(`--from must be one of: ${formatNames.join(', ')}`)
      assertReadable(file)
      const hashConfig = optionFile(call, 'hash-config')
      const roles = rolesOf(call)
      const convert = ofFormat(() => format.converter({ hashConfig }))
      const { tellProgress, tellReport } = await import('./report.ts')
      await withServices(call, ['imports'], async ({ imports }) => {
        const dryRun = call.values['dry-run'] === true
        const changesRoles = call.values.roles !== undefined
        const read = foreignReader(format, convert, roles)
        const readAgain = foreignReader(format, convert, rolesOf(call)) // counts names again
        const again = () => readAgain(createReadStream(file))
        const report = await imports.run(createReadStream(file), {
          ...{ dryRun, otherwise: 'json' },
          ...(dryRun && { preview: previewedLines }),
          foreign: { source: from, read, again, changesRoles },
          onProgress: tellProgress(call.terminal),
        })
        tellUnknown(call, roles)
        tellReport(call, report)
      })
    },
  },
]

function rolesOf(call: CommandCall): RoleMap {
  const text = optionFile(call, 'roles')
  if (text === undefined) return roleMap()
  const map = readRoleMap(text, call.config.roles)
  if ('unknown' in map) return map
  throw new UsageError(`--roles: ${map.join('\n')}`)
}

/** @throws UsageError */
function optionFile(call: CommandCall, option: string): string | undefined {
  const path = textOf(call, option)
  if (path === undefined) return undefined
  assertReadable(path)
  if (statSync(path).size > maxOptionFileBytes) {
    throw new UsageError(`${path} is longer than ${maxOptionFileBytes} bytes`)
  }
  return readFileSync(path, 'utf8')
}

function ofFormat<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw error instanceof FormatError ? new UsageError(error.message) : error
  }
}

/** On standard error, for JSON too: a role is never guessed. */
function tellUnknown({ terminal }: CommandCall, roles: RoleMap): void {
  for (const [name, accounts] of roles.unknown()) {
    terminal.stderr.write(`no role for "${name}" (${accounts} accounts): --roles\n`)
  }
}
