import type { AccountDetail } from '../../modules/accounts/account-detail.ts'
import { mailView } from './admin-routes.ts'
import type { MailAdmin } from './mail-admin.ts'
import { MailBody } from './schemas.ts'

const shownMails = 10

export function mailsDetail({
  mailAdmin,
}: {
  readonly mailAdmin: Pick<MailAdmin, 'page'>
}): AccountDetail {
  return {
    name: 'mails',
    schema: { type: 'array', items: MailBody, description: 'The newest 10 of the last 30 days' },
    example: [],
    read: async ({ userId }) => (await mailAdmin.page({ userId }, 0, shownMails)).map(mailView),
  }
}
