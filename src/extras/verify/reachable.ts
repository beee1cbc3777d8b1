import { CommandError } from '../../core/cli/command.ts'
import { shown } from '../../core/cli/output.ts'
import { NoAnswer, type Send } from './http.ts'
import type { Credentials } from './people.ts'

/**
 * One request as the administrator: a run with wrong credentials would show nothing, and count as
 * failed logins.
 * @throws CommandError
 */
export async function assertReachable(
  send: Send,
  { operator }: { readonly operator: Credentials | null },
): Promise<void> {
  const encoded =
    operator && Buffer.from(`${operator.username}:${operator.password}`).toString('base64')
  const headers = encoded ? { authorization: `Basic ${encoded}` } : {}
  const path = '/users?page=1&limit=1'
  try {
    const { status, text } = await send({ method: 'GET', path, headers, body: undefined })
    if (!operator || status === 200) return
    const answer = `${status} ${shown(text.slice(0, 200))}`
    throw new CommandError(
      `the administrator cannot read users by Basic: ${answer}. An account with a second factor cannot be used here`,
    )
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    throw new CommandError(`there is no answer: ${error.message}`)
  }
}
