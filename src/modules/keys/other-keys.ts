import { type CommandCall, CommandError, exitCodes } from '../../core/cli/command.ts'

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
