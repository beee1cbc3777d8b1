import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
  UsageError,
} from '../../core/cli/command.ts'
import { choiceOption } from '../../core/cli/value-options.ts'
import { withServices } from '../../core/cli/work.ts'
import { batchesByOffset } from '../../core/database/batches.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import { mailNotFound } from './problems.ts'

const states = ['waiting', 'sending', 'sent', 'failed', 'expired', 'cancelled', 'dropped'] as const

export const commands: readonly CommandWork[] = [
  { name: 'mail test', example: 'mail test postmaster@example.org', run: test },
  {
    name: 'mail list',
    options: { state: { type: 'string', value: 'state', values: states, doc: 'only mail in it' } },
    example: 'mail list --state failed',
    run: list,
  },
  {
    name: 'mail resend',
    example: 'mail resend Zn8xQw2VbTq0yL4sKc7R1A',
    run: (call) => change(call, 'resend'),
  },
  {
    name: 'mail cancel',
    example: 'mail cancel Zn8xQw2VbTq0yL4sKc7R1A',
    run: (call) => change(call, 'cancel'),
  },
]

async function test(call: CommandCall): Promise<void> {
  const { parseEmail } = await import('../../core/addresses/email.ts')
  const address = parseEmail(call.operands[0] ?? '')
  if (!address) throw new UsageError('this is no mail address')
  await withServices(call, ['mailAdmin', 'mailer'], async ({ mailAdmin, mailer }, { config }) => {
    const { language } = config.pages
    const { id } = await mailAdmin.test({ address, language })
    const delivery = await mailer.sendNow(id)
    const response = delivery?.response ?? 'the running service sends it'
    if (delivery && delivery.kind !== 'sent') {
      if (delivery.kind !== 'refused') await mailAdmin.cancel(id)
      throw new CommandError(`the mail was not sent: ${response}`)
    }
    call.output.result({ id, response }, `sent: ${response}`)
  })
}

function list(call: CommandCall): Promise<void> {
  const state = choiceOption(call, 'state', states)
  return withServices(call, ['mailAdmin'], async ({ mailAdmin }) => {
    const { mailView } = await import('./admin-routes.ts')
    const filters = state === undefined ? {} : { state }
    const batches = batchesByOffset((offset, limit) => mailAdmin.page(filters, offset, limit))
    await call.output.list(batches, mailView)
  })
}

async function change(call: CommandCall, what: 'resend' | 'cancel'): Promise<void> {
  const [id = ''] = call.operands
  const { ApiError } = await import('../../core/errors.ts')
  await withServices(call, ['mailAdmin'], async ({ mailAdmin }) => {
    const { mailView } = await import('./admin-routes.ts')
    try {
      const mail = await mailAdmin[what](id)
      const done = what === 'resend' ? 'is sent by the running service' : 'is not sent any more'
      call.output.result(mailView(mail), `the mail ${done}`)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.row === mailNotFound) {
        throw new CommandError('there is no such mail', exitCodes.notFound.code)
      }
      throw new CommandError(
        `the mail has been sent, or has ended: see its state in \`${gatehouse} mail list\``,
        exitCodes.refused.code,
      )
    }
  })
}
