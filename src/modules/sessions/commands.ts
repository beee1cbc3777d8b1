import { CommandError, type CommandWork, exitCodes } from '../../core/cli/command.ts'
import { withAccount } from '../accounts/commands.ts'

/** The commands that list and end sessions, as the routes of administration do. */
export const commands: readonly CommandWork[] = [
  {
    name: 'session list',
    example: 'session list ann',
    run: (call) =>
      withAccount(call, ['sessions'], async ({ userId }, { sessions }) => {
        const { showSession } = await import('./schemas.ts')
        const live = await sessions.of(userId)
        const rows = live.map((session) => {
          const { current: _, ...row } = showSession(session, false)
          return row
        })
        call.output.rows(rows)
      }),
  },
  {
    name: 'session end',
    example: 'session end ann',
    run: (call) =>
      withAccount(call, ['sessions'], async ({ userId, username }, { sessions }) => {
        const [, id] = call.operands
        const shown = { username, session: id ?? null }
        if (id === undefined) {
          await sessions.endAll(userId, 'administrator', {})
          call.output.result(shown, `all sessions and all tokens of ${username} have ended`)
          return
        }
        if (!(await sessions.endOne(userId, id, undefined, 'operator'))) {
          const what = `${username} has no session ${id}`
          throw new CommandError(what, exitCodes.notFound.code)
        }
        call.output.result(shown, `the session ${id} of ${username} has ended`)
      }),
  },
]
