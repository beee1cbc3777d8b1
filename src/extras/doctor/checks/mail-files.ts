import { join } from 'node:path'
import { knownRecipients, recipientOfFile } from '../../mail/recipient-of-file.ts'
import { mailFiles as filesIn, mailFolder } from '../../mail/transport.ts'
import type { Check } from '../check.ts'
import type { InsideContext } from '../context.ts'

/** Above what a service without a mail server keeps. */
const maxFiles = 1000

export const mailFiles: Check<InsideContext> = {
  id: 'mail_files',
  level: 'warning',
  passMessage: 'DATA_DIR/mail has no mail to persons who are gone',
  why: 'A service without SMTP_URL writes its mail there, with address, name and network address. An erasure removes the mail of the account and of the addresses that the service still knows; a node on another machine, or a version before 0.11.0, has left its files.',
  mend: { do: 'Delete the files, also in your copies of the folder.' },
  async find({ config, db }) {
    const folder = mailFolder(config)
    const files = (await filesIn(folder)).slice(0, maxFiles)
    const recipients = await Promise.all(files.map((file) => recipientOfFile(join(folder, file))))
    const keys = new Set(recipients.flatMap((recipient) => recipient ?? []))
    const known = await knownRecipients(db, [...keys])
    const left = recipients.filter(
      (recipient) => recipient !== null && !recipient.some((key) => known.has(key)),
    )
    if (left.length === 0) return []
    const count = left.length === 1 ? '1 file' : `${left.length} files`
    const what = `${folder} has ${count} of mail to addresses that no user has: of persons who were erased, of earlier addresses, or of sign-ups that were not finished.`
    return [{ what, mend: { setting: `rm ${folder}/*.eml` } }]
  },
}
