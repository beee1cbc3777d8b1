import { migrate } from '../../database/migrate.ts'
import { systemDeps } from '../../deps.ts'
import { isoTime } from '../../kernel/clock.ts'
import { type KeySet, loadKeySet } from '../../keys/key-set.ts'
import { type Command, type CommandCall, CommandError } from '../command.ts'

/** Works on the database directly, also while the service runs: it takes up the change by itself. */
async function withKeys(
  { config }: CommandCall,
  work: (keys: KeySet) => Promise<void>,
): Promise<void> {
  const deps = systemDeps(config)
  try {
    await migrate(deps.db, deps.clock)
    await work(await loadKeySet(deps))
  } finally {
    await deps.db.destroy()
  }
}

export const keyCommands: readonly Command[] = [
  {
    name: 'keys list',
    summary: 'Shows the key set: what signs, what still verifies, and until when',
    run: (call) =>
      withKeys(call, async (keys) => {
        const rows = await keys.list()
        call.output.rows(
          rows.map(({ id, purpose, algorithm, createdAt, retiredAt, signs }) => ({
            kid: id,
            purpose,
            algorithm,
            created: createdAt === null ? null : isoTime(createdAt),
            verifies_until: retiredAt === null ? null : isoTime(retiredAt),
            signs,
          })),
        )
      }),
  },
  {
    name: 'keys rotate',
    summary: 'Replaces the signing key; tokens of the old one stay valid until they expire',
    run: (call) =>
      withKeys(call, async (keys) => {
        const before = keys.current.kid
        await keys.rotate()
        call.output.message(`${keys.current.kid} signs from now on; ${before} still verifies`)
      }),
  },
  {
    name: 'keys retire',
    operands: ['kid'],
    summary: 'Ends a replaced signing key at once: its tokens are refused from now on',
    run: (call) =>
      withKeys(call, async (keys) => {
        const [kid = ''] = call.operands
        if (!(await keys.retire(kid))) throw new CommandError(`no signing key ${kid} that verifies`)
        call.output.message(`${kid} verifies no more`)
      }),
  },
]
