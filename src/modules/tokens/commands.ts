import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
} from '../../core/cli/command.ts'
import type { Row } from '../../core/cli/output.ts'
import { knownSecret } from '../../core/cli/secrets.ts'
import { withServices } from '../../core/cli/work.ts'
import type { Inspection } from './inspect.ts'

const times = ['exp', 'nbf', 'iat', 'auth_time']

export const commands: readonly CommandWork[] = [
  {
    name: 'token inspect',
    options: {
      'token-stdin': {
        type: 'boolean',
        doc: 'read the token from standard input; the default without a terminal',
      },
    },
    example: 'token inspect --token-stdin < token.txt',
    run: inspect,
  },
]

const inspecting = [
  'accounts',
  'keys',
  'requirements',
  'revocations',
  'rotation',
  'tokens',
] as const

async function inspect(call: CommandCall): Promise<void> {
  const token = (await knownSecret(call, 'token')).trim()
  await withServices(call, inspecting, async (services, deps) => {
    const { inspectToken } = await import('./inspect.ts')
    const inspection = await inspectToken({ ...deps, ...services }, token)
    if (!inspection) throw new CommandError('this is no token', exitCodes.refused.code)
    const { isoTime } = await import('../../core/lib/clock.ts')
    show(call, inspection, (seconds) => isoTime(seconds * 1000))
  })
}

/** @throws CommandError, after the output, if the service refuses the token */
function show(
  { output, values }: CommandCall,
  inspection: Inspection,
  toIso: (seconds: number) => string,
): void {
  const { header, claims, signature, expired, revoked, refusal } = inspection
  const readable = Object.fromEntries(
    Object.entries({ ...claims, ...header }).flatMap(([name, value]) =>
      isTime(name, value) ? [[name, toIso(value)] as const] : [],
    ),
  )
  const passes = refusal === null
  const verdict = { passes, signature, expired, revoked, refusal }
  if (values.json === true) output.result({ header, claims, times: readable, ...verdict }, '')
  else {
    output.rows([...rowsOf('header', header, toIso), ...rowsOf('claims', claims, toIso)])
    if (passes) output.message('\nIt passes here.')
  }
  if (!passes) throw new CommandError(`the token does not pass: ${refusal}`, exitCodes.refused.code)
}

function rowsOf(part: string, fields: object, toIso: (seconds: number) => string): Row[] {
  return Object.entries(fields).map(([name, value]) => ({
    part,
    name,
    value,
    time: isTime(name, value) ? toIso(value) : null,
  }))
}

function isTime(name: string, value: unknown): value is number {
  return times.includes(name) && typeof value === 'number' && Number.isFinite(value) && value >= 0
}
