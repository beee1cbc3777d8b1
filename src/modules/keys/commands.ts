import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
  textOf,
  UsageError,
} from '../../core/cli/command.ts'
import { withServices } from '../../core/cli/work.ts'
import { isoTimeOrNull } from '../../core/lib/clock.ts'
import type { TokenPurpose } from './opened-keys.ts'

/** Settings that decide which key signs, and how long a replaced key verifies. */
const signing = [
  'TOKEN_ALGORITHM',
  'TOKEN_SECRET',
  'TOKEN_PRIVATE_KEY',
  'LOGIN_TOKEN_SECONDS',
  'ACCESS_TOKEN_SECONDS',
  'REFRESH_TOKEN_SECONDS',
] as const

/**
 * Rejects a change of keys with settings that differ from the running service: the command would
 * choose another signing key. @throws CommandError
 */
export async function refuseOtherKeys({ config, terminal }: CommandCall): Promise<void> {
  const { runningServices } = await import('../../core/runtime/service-note.ts')
  for (const { pid, different } of runningServices({ config, env: terminal.env }, signing)) {
    if (different.length === 0) continue
    throw new CommandError(
      `the service that runs as process ${pid} has other settings: ${different.join(', ')}; give this command the same`,
      exitCodes.refused.code,
    )
  }
}

/** A running service uses a changed key set within a second. */
export const commands: readonly CommandWork[] = [
  {
    name: 'keys list',
    example: 'keys list --json',
    run: (call) =>
      withServices(call, ['keys'], async ({ keys }) => {
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
      identity: {
        type: 'boolean',
        doc: 'replace the key of ID tokens instead, which applications verify',
      },
    },
    example: 'keys rotate',
    run: (call) =>
      withKeys(call, ['keys'], async ({ keys }, { clock }) => {
        const { handoverMs } = await import('./retirement.ts')
        const atOnce = call.values.now === true
        const purpose = purposeOf(call.values)
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
    name: 'keys rotate-master',
    options: {
      check: {
        type: 'boolean',
        doc: 'only ask which processes of the service know the next key',
      },
      wait: {
        type: 'string',
        value: 'seconds',
        doc: 'how long to wait for a process that does not know the next key yet; 30 unless given',
      },
      processes: {
        type: 'string',
        value: 'number',
        doc: 'how many processes of the service must answer at least; any number unless given',
      },
    },
    example: 'keys rotate-master --processes 2',
    run: rotateMaster,
  },
  {
    name: 'keys retire',
    example: 'keys retire 5vKp2mQwXb3nTz8h',
    run: (call) =>
      withKeys(call, ['keys'], async ({ keys }) => {
        const { KeySigns } = await import('./retirement.ts')
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

async function rotateMaster(call: CommandCall): Promise<void> {
  const asksOnly = call.values.check === true
  const waitMs = 1000 * wholeNumber(call, 'wait', 30)
  const minProcesses = wholeNumber(call, 'processes', 0)
  await withServices(call, ['masterKeyRotation'], async ({ masterKeyRotation }) => {
    const { NotRotated } = await import('./master-key-rotation.ts')
    const rotated = await masterKeyRotation
      .rotate({ waitMs, asksOnly, minProcesses })
      .catch((error: unknown) => {
        if (!(error instanceof NotRotated)) throw error
        throw new CommandError(`${error.message}; nothing was changed`, exitCodes.refused.code)
      })
    const { state, before, next, answers, isInPlace } = rotated
    const known = answers.filter(({ knows }) => knows).length
    const heard = `${known} of ${answers.length} processes that answered know ${next}`
    const left = isInPlace
      ? 'its file is in place'
      : 'now make it the MASTER_KEY of every node, and remove MASTER_KEY_NEXT'
    const text = {
      asked: `${before} seals the key set; ${heard}`,
      turned: `${next} seals the key set, and ${before} opens it no more (${heard}); ${left}`,
      finished: `${next} sealed the key set already; ${left}`,
    }[state]
    call.output.result({ state, before, next, in_place: isInPlace, processes: answers }, text)
  })
}

/** @throws UsageError */
function purposeOf({ refresh, identity }: CommandCall['values']): TokenPurpose {
  if (refresh === true && identity === true) {
    throw new UsageError('--refresh and --identity name two keys: give one of them')
  }
  if (refresh === true) return 'refresh'
  return identity === true ? 'identity' : 'signing'
}

/** @throws UsageError */
function wholeNumber(call: CommandCall, name: string, fallback: number): number {
  const text = textOf(call, name)
  if (text === undefined) return fallback
  if (!/^[0-9]{1,6}$/.test(text)) throw new UsageError(`--${name} must be a whole number`)
  return Number(text)
}

/**
 * `withServices` for a change of keys. @throws CommandError if the settings differ from the
 * service's
 */
const withKeys: typeof withServices = async (call, names, work) => {
  await refuseOtherKeys(call)
  return withServices(call, names, work)
}
