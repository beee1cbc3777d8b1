import { existsSync } from 'node:fs'
import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
  textOf,
} from '../../core/cli/command.ts'
import { assertReadable } from '../../core/cli/files.ts'
import { withServices } from '../../core/cli/work.ts'
import { recordOf, textOfReport, verdict } from './verify/report-text.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'audit verify',
    options: {
      checkpoints: {
        type: 'string',
        value: 'file',
        doc: 'the checkpoints outside: JSON lines, or a log of syslog; DATA_DIR/audit-checkpoints.jsonl unless given',
      },
    },
    example: 'audit verify --checkpoints /mnt/other-machine/audit-checkpoints.jsonl',
    run: verify,
  },
]

async function verify(call: CommandCall): Promise<void> {
  const { config, output, terminal } = call
  const named = textOf(call, 'checkpoints')
  const path = named ?? config.audit.checkpointsFile
  if (named !== undefined) assertReadable(path)
  const file = existsSync(path) ? path : null
  const { systemClock } = await import('../../core/lib/clock.ts')
  const now = (terminal.clock ?? systemClock).now()
  const { linesOutside } = await import('./verify/outside-file.ts')
  const { verifyAudit } = await import('./verify/verify.ts')
  const found = await withServices(call, ['keys'], ({ keys }, { db }) =>
    verifyAudit({ db, keys: keys.audit }, { outside: linesOutside(file), now }),
  )
  output.result(recordOf(found, { file, now }), textOfReport(found, { file, now }))
  const { first } = found
  if (first) throw new CommandError(verdict(first, found), exitCodes.failed.code)
}
