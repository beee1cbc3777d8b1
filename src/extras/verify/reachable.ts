import { CommandError, exitCodes } from '../../core/cli/command.ts'
import { shown } from '../../core/cli/output.ts'
import { NoAnswer, type Send } from './http.ts'
import type { RunOptions } from './run.ts'

/**
 * One request as the administrator: a run with wrong credentials would show nothing, and count as
 * failed logins.
 * @throws CommandError
 */
export async function assertReachable(
  send: Send,
  { operator, secrets, signal }: Pick<RunOptions, 'operator' | 'secrets' | 'signal'>,
): Promise<void> {
  const encoded =
    operator && Buffer.from(`${operator.username}:${operator.password}`).toString('base64')
  const headers = encoded ? { authorization: `Basic ${encoded}` } : {}
  const path = '/users?page=1&limit=1'
  try {
    const { status, text } = await send({ method: 'GET', path, headers, body: undefined }, signal)
    if (!operator || status === 200) return
    const answer = `${status} ${shown(secrets.safe(text, 200))}`
    throw new CommandError(
      `the administrator cannot read users by Basic: ${answer}. An account with a second factor cannot be used here`,
    )
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    if (signal.aborted) throw new CommandError('broken off', exitCodes.interrupted.code)
    throw new CommandError(`there is no answer: ${error.message}`)
  }
}
