import {
  belowBothAccounts,
  type CommandExamples,
  type CommandWorld,
  type Examples,
  type Make,
  type World,
} from '../../../test/example.ts'

const waiting = async ({ app, admin, newAddress }: World): Promise<string> => {
  const sent = { headers: admin, json: { address: newAddress() } }
  return (await app.call('POST', '/api/admin/mail/test', sent)).body.id
}
const mail: Make = async (world) => ({ params: { id: await waiting(world) } })

export const examples: Examples = {
  ...belowBothAccounts({ listOwnNotices: {} }),
  listMail: {},
  sendTestMail: {
    events: ['mail_tested'],
    make: ({ newAddress }) => ({ json: { address: newAddress() } }),
  },
  resendMail: { events: ['mail_resent'], make: mail },
  cancelMail: { events: ['mail_cancelled'], make: mail },
  listMailPreviews: {},
  previewMail: { make: () => ({ params: { id: 'reset' } }) },
}

export const settings = () => ({ MAIL_REQUESTS_PER_CLIENT: '0' })

const ofMail = (words: string) => async (world: CommandWorld) =>
  world.run(`mail ${words} ${await waiting(world)}`)

export const commands: CommandExamples = {
  'mail test': {
    events: ['mail_tested', 'mail_sent'],
    run: ({ run }) => run('mail test post@example.org'), // to a file: no mail server
  },
  'mail list': {},
  'mail resend': { events: ['mail_resent'], run: ofMail('resend') },
  'mail cancel': { events: ['mail_cancelled'], run: ofMail('cancel') },
}
