import { isoTimeOrNull } from '../../kernel/clock.ts'
import { CommandError, type CommandWork, exitCodes } from '../command.ts'
import { refuseOtherKeys } from '../other-settings.ts'
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
          rows.map(({ id, purpose, algorithm, createdAt, signsFrom, retiredAt, signs }) => ({
            kid: id,
            purpose,
            algorithm,
            created: isoTimeOrNull(createdAt),
            signs_from: isoTimeOrNull(signsFrom),
            verifies_until: isoTimeOrNull(retiredAt),
            signs,
          })),
        )
      }),
  },
  {
    name: 'keys rotate',
    options: {
      now: {
        type: 'boolean',
        doc: 'for a key that leaked: sign with the new one in 3 seconds, and wait for it; services that keep the public keys may refuse its tokens for 5 minutes',
      },
      refresh: {
        type: 'boolean',
        doc: 'replace the key of refresh tokens instead, which only this service reads',
      },
    },
    example: 'keys rotate',
    run: (call) =>
      withKeys(call, async ({ keys }, { clock }) => {
        const { handoverMs } = await import('../../keys/retirement.ts')
        const atOnce = call.values.now === true
        const purpose = call.values.refresh === true ? 'refresh' : 'signing'
        const { kid, before, signsFrom } = await keys.rotate({ purpose, atOnce })
        if (atOnce) await clock.wait(handoverMs)
        const from = isoTimeOrNull(signsFrom)
        call.output.result(
          { signs: kid, purpose, signs_from: from, verifies: before },
          from === null
            ? `${kid} signs from now on; ${before} still verifies: \`keys retire ${before}\` ends it`
            : `${kid} is published now and signs from ${from}; ${before} signs until then and still verifies`,
        )
      }),
  },
  {
    name: 'keys retire',
    example: 'keys retire 5vKp2mQwXb3nTz8h',
    run: (call) =>
      withKeys(call, async ({ keys }) => {
        const { KeySigns } = await import('../../keys/retirement.ts')
        const [kid = ''] = call.operands
        const isRetired = await keys.retire(kid).catch((error: unknown) => {
          if (!(error instanceof KeySigns)) throw error
          throw new CommandError(error.message, exitCodes.refused.code)
        })
        if (!isRetired) {
          throw new CommandError(`no signing key ${kid} that verifies`, exitCodes.notFound.code)
        }
        call.output.result({ retired: kid }, `${kid} verifies no more`)
      }),
  },
]

/** As `withServices`, for a change of the keys. @throws CommandError also for other settings */
const withKeys: typeof withServices = async (call, work) => {
  await refuseOtherKeys(call)
  return withServices(call, work)
}
