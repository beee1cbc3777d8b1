import { isoTime } from '../../kernel/clock.ts'
import { CommandError, type CommandWork, exitCodes } from '../command.ts'
import { withServices } from '../work.ts'

/** The commands of the key set. A running service uses a changed key set within a second. */
export const commands: readonly CommandWork[] = [
  {
    name: 'keys list',
    example: 'keys list --json',
    run: (call) =>
      withServices(call, async ({ keys }) => {
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
    example: 'keys rotate',
    run: (call) =>
      withServices(call, async ({ keys }) => {
        const before = keys.current.kid
        await keys.rotate()
        const { kid } = keys.current
        call.output.result(
          { signs: kid, verifies: before },
          `${kid} signs from now on; ${before} still verifies`,
        )
      }),
  },
  {
    name: 'keys retire',
    example: 'keys retire 5vKp2mQwXb3nTz8h',
    run: (call) =>
      withServices(call, async ({ keys }) => {
        const [kid = ''] = call.operands
        if (kid === keys.current.kid) {
          throw new CommandError('this key signs: rotate first', exitCodes.refused.code)
        }
        if (!(await keys.retire(kid))) {
          throw new CommandError(`no signing key ${kid} that verifies`, exitCodes.notFound.code)
        }
        call.output.result({ retired: kid }, `${kid} verifies no more`)
      }),
  },
]
