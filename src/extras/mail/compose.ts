import type { Sender } from './mail-server.ts'
import type { RenderedMessage } from './message-types.ts'

export interface OutgoingMail {
  readonly id: string
  readonly address: string
  readonly message: RenderedMessage
  /** Epoch milliseconds. */
  readonly at: number
  /** BCP 47. */
  readonly language: string
}

export interface MailHead {
  readonly from: Sender
  readonly replyTo: Sender | undefined
}

/**
 * Writes a mail (RFC 5322): text and HTML, no attachments, pictures or tracking. `Auto-Submitted`
 * prevents automatic replies (RFC 3834). No List-Unsubscribe: mail software may follow it
 * automatically. nodemailer loads on first use.
 */
export async function compose(mail: OutgoingMail, { from, replyTo }: MailHead): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const { address, at, id, language, message } = mail
  const composer = new MailComposer({
    // Objects: nodemailer would parse a string, which could name several recipients.
    from: { name: from.name, address: from.address },
    ...(replyTo && { replyTo: { name: replyTo.name, address: replyTo.address } }),
    to: { name: '', address },
    subject: message.subject,
    text: message.text,
    html: message.html,
    messageId: messageIdOf(id, from),
    date: new Date(at),
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
    baseBoundary: id, // identical at each attempt
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return await composer.compile().build()
}

/** The same at each attempt, so that a mail sent twice is recognized. RFC 5322 section 3.6.4. */
export function messageIdOf(id: string, from: Sender): string {
  return `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`
}
