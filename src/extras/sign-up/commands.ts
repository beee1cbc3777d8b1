import { parseEmail } from '../../core/addresses/email.ts'
import { type CommandCall, type CommandWork, textOf, UsageError } from '../../core/cli/command.ts'
import { withServices } from '../../core/cli/work.ts'
import { batchesByOffset } from '../../core/database/batches.ts'
import { contractRoles } from '../../core/policy/principal.ts'
import { parseRoles } from '../../modules/accounts/commands.ts'
import type { Invitation } from './invitation.ts'
import type { Invitations } from './invitations.ts'

const maxNameLength = 100

export const commands: readonly CommandWork[] = [
  {
    name: 'invitation create',
    options: {
      roles: {
        type: 'string',
        value: 'roles',
        values: contractRoles,
        doc: `comma-separated: ${contractRoles.join(', ')}; USER by default`,
      },
      name: { type: 'string', value: 'name', doc: 'of the person, for the message and the form' },
    },
    example: 'invitation create ann@example.org --roles USER,EDITOR',
    run: invite,
  },
  {
    name: 'invitation list',
    example: 'invitation list --json',
    run: list,
  },
  {
    name: 'invitation resend',
    example: 'invitation resend 12',
    run: (call) =>
      change(call, 'is mailed again', (invitations, id) => invitations.resend(id, 'operator')),
  },
  {
    name: 'invitation revoke',
    example: 'invitation revoke 12',
    run: (call) => change(call, 'is revoked', (invitations, id) => invitations.revoke(id)),
  },
]

async function invite(call: CommandCall): Promise<void> {
  const [text = ''] = call.operands
  const email = parseEmail(text)
  if (!email) throw new UsageError(`${text} is no mail address`)
  const roles = parseRoles(call, (textOf(call, 'roles') ?? 'USER').split(','))
  const name = nameOf(call)
  const { language } = call.config.pages
  await withServices(call, ['invitations'], async ({ invitations }, { clock, db }) => {
    const { transact } = await import('../../core/database/transactions.ts')
    const show = await viewOf(invitations, clock)
    invitations.assertMail()
    const wanted = { email, name, roles, language, by: 'operator' } as const
    const made = await transact(db, [], (trx) => invitations.create(trx, wanted))
    const shown = show(made)
    const until = `until ${shown.expires_at}`
    call.output.result(shown, `${shown.email} is invited, by invitation ${made.id}, ${until}`)
  })
}

async function list(call: CommandCall): Promise<void> {
  await withServices(call, ['invitations'], async ({ invitations }, { clock }) => {
    const show = await viewOf(invitations, clock)
    await call.output.list(batchesByOffset(invitations.page), show)
  })
}

async function change(
  call: CommandCall,
  told: string,
  work: (invitations: Invitations, id: number) => Promise<Invitation>,
): Promise<void> {
  const [text = ''] = call.operands
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new UsageError('an invitation has a number')
  await withServices(call, ['invitations'], async ({ invitations }, { clock }) => {
    const show = await viewOf(invitations, clock)
    const shown = show(await work(invitations, Number(text)))
    call.output.result(shown, `the invitation ${shown.id} to ${shown.email} ${told}`)
  })
}

function nameOf(call: CommandCall): string | null {
  const name = textOf(call, 'name')
  if (name === undefined) return null
  const isName = name !== '' && [...name].length <= maxNameLength && !/\p{Cc}/u.test(name)
  if (!isName) throw new UsageError(`--name has 1 to ${maxNameLength} characters, on one line`)
  return name
}

async function viewOf(invitations: Invitations, clock: { now(): number }) {
  const { invitationView } = await import('./admin-routes.ts')
  return invitationView(invitations, clock)
}
