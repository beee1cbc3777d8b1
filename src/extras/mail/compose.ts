import type { Sender } from './mail-server.ts'
import type { RenderedMessage } from './message-types.ts'

/** A mail that is ready to be sent to one address. */
export interface OutgoingMail {
  /** The id of its row. */
  readonly id: string
  /** The only recipient. */
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
 * Writes a mail by RFC 5322: text and HTML, without attachments, pictures or tracking. The Message-ID
 * is made of the id of the row, so that a mail that is sent twice is the same mail. `Auto-Submitted`
 * keeps other programs from answering it (RFC 3834); there is no List-Unsubscribe, which mail software
 * may follow by itself. nodemailer is loaded when the first mail is written.
 */
export async function compose(mail: OutgoingMail, { from, replyTo }: MailHead): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const { address, at, id, language, message } = mail
  const composer = new MailComposer({
    // Objects, because a text would be parsed, and could name more recipients than one.
    from: { name: from.name, address: from.address },
    ...(replyTo && { replyTo: { name: replyTo.name, address: replyTo.address } }),
    to: { name: '', address },
    subject: message.subject,
    text: message.text,
    html: message.html,
    messageId: messageIdOf(id, from),
    date: new Date(at),
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
    baseBoundary: id, // the mail is the same at each attempt
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return await composer.compile().build()
}

/** The Message-ID of a row of the outbox, the same at each attempt. RFC 5322 section 3.6.4. */
export function messageIdOf(id: string, from: Sender): string {
  return `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`
}
