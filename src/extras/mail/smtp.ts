import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { parseEmail } from '../../core/addresses/email.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { MailServer } from './mail-server.ts'
import { plainResponse } from './plain-response.ts'

/** What became of an attempt to hand a mail to the server. */
export type Delivery =
  | { readonly kind: 'sent'; readonly response: string }
  /** Refused for good; `isAddress`: because there is no such mailbox. */
  | { readonly kind: 'refused'; readonly response: string; readonly isAddress: boolean }
  /** Refused for now, or the connection was lost while it was sent: `isLost`. */
  | { readonly kind: 'deferred'; readonly response: string; readonly isLost: boolean }
  /** The server takes no mail at all now: it is away, its certificate is wrong, a login failed. */
  | { readonly kind: 'unavailable'; readonly response: string }

/** A connection to the mail server, for one mail after the other. */
export interface SmtpSession {
  /** Never throws. After anything but `sent` the session is closed. */
  send(address: string, content: Buffer): Promise<Delivery>
  close(): void
}

export interface SmtpDeps {
  readonly server: MailServer
  readonly heloName: string
  /** The sender of the envelope. */
  readonly from: string
  /** The only authority that is trusted, PEM; undefined: those of Node. */
  readonly ca: string | undefined
  readonly clock: Pick<Clock, 'wait'>
  readonly timeouts?: SmtpTimeouts
}

/** In milliseconds. */
export interface SmtpTimeouts {
  /** Until the server greets: address, connection, TLS. */
  readonly connect: number
  readonly greeting: number
  /** Without a byte of the server, at any later stage. */
  readonly silence: number
  /** Of one mail in all, with its connection; ends a server that answers a byte now and then. */
  readonly mail: number
}

export const smtpTimeouts: SmtpTimeouts = {
  connect: 10_000,
  greeting: 10_000,
  silence: 30_000,
  mail: 60_000,
}

/** The server is not to be used now. */
export class RelayUnavailable extends Error {}

/**
 * Opens a session: greeting, TLS, login. With `starttls` and `tls` nothing goes out in clear, and the
 * certificate is checked, whatever the server offers and the environment says.
 * @throws RelayUnavailable with what the server said
 */
export async function openSession(deps: SmtpDeps): Promise<SmtpSession> {
  const { server, timeouts = smtpTimeouts } = deps
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  const connection = new Connection({
    host: server.host,
    port: server.port,
    secure: server.security === 'tls',
    requireTLS: server.security === 'starttls',
    ignoreTLS: server.security === 'none',
    name: deps.heloName,
    connectionTimeout: timeouts.connect,
    greetingTimeout: timeouts.greeting,
    socketTimeout: timeouts.silence,
    dnsTimeout: timeouts.connect,
    socketCloseTimeout: 1000,
    maxResponseSize: 65_536,
    allowInternalNetworkInterfaces: true, // a server on loopback, where there is no network
    logger: false,
    tls: {
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ...(deps.ca !== undefined && { ca: deps.ca }),
    },
  })
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => {}) // it is awaited where something is under way
  connection.on('error', lost.reject)
  // Later: what the server said before it closed is told after the end.
  connection.once('end', () =>
    setImmediate(lost.reject, new Error('the server closed the connection')),
  )
  try {
    await within(timeouts.mail, connected(connection, lost.promise))
    if (server.security !== 'none' && !connection.secure)
      throw new Error('the connection is in clear')
    if (server.user !== null) {
      await within(timeouts.mail, loggedIn(connection, server, lost.promise))
    }
  } catch (error) {
    connection.close()
    throw new RelayUnavailable(plainResponse(error), { cause: error })
  }
  return {
    async send(address, content) {
      const delivery = await sent(address, content)
      if (delivery.kind !== 'sent') connection.close()
      return delivery
    },
    close() {
      connection.quit()
    },
  }

  async function sent(address: string, content: Buffer): Promise<Delivery> {
    if (parseEmail(address)?.address !== address) {
      return { kind: 'refused', response: 'the address is not valid', isAddress: false }
    }
    try {
      const info = await within(timeouts.mail, handed(address, content))
      const [accepted, ...more] = info.accepted
      if (accepted !== address || more.length > 0) {
        return { kind: 'refused', response: 'the recipient was another one', isAddress: false }
      }
      return { kind: 'sent', response: plainResponse(info.response) }
    } catch (error) {
      return failureOf(error as SmtpError)
    }
  }

  function handed(address: string, content: Buffer) {
    const envelope = { from: deps.from, to: [address], size: content.length }
    return Promise.race([
      new Promise<{ readonly accepted: readonly string[]; readonly response: string }>(
        (resolve, reject) => {
          connection.send(envelope, content, (error, info) =>
            error ? reject(error) : resolve(info),
          )
        },
      ),
      lost.promise,
    ])
  }

  /** Ends what takes too long in all: a server may send a byte now and then for ever. */
  async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
    const done = new AbortController()
    const late = deps.clock.wait(milliseconds, done.signal).then(() => {
      if (done.signal.aborted) return new Promise<never>(() => {})
      throw new Error('the server took too long')
    })
    try {
      return await Promise.race([work, late])
    } finally {
      done.abort()
    }
  }
}

function connected(connection: SMTPConnection, lost: Promise<never>): Promise<void> {
  const connecting = new Promise<void>((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve()))
  })
  return Promise.race([connecting, lost])
}

function loggedIn(
  connection: SMTPConnection,
  { user, password }: MailServer,
  lost: Promise<never>,
): Promise<void> {
  const login = new Promise<void>((resolve, reject) => {
    const credentials = { user: user ?? '', pass: password?.reveal() ?? '' }
    connection.login({ credentials }, (error) => (error ? reject(error) : resolve()))
  })
  return Promise.race([login, lost])
}

type SmtpError = Error & {
  readonly responseCode?: number
  readonly response?: string
  readonly command?: string
}

/** Reads an error of the stages after the login. RFC 5321 section 4.2, RFC 3463. */
function failureOf(error: SmtpError): Delivery {
  const { responseCode = 0, command = '' } = error
  const response = plainResponse(error)
  // What the server says to the sender it says to every mail: no mail is at fault.
  if (responseCode > 0 && command === 'MAIL FROM') return { kind: 'unavailable', response }
  if (responseCode >= 500 && command !== 'CONN') {
    return { kind: 'refused', response, isAddress: isOfAddress(response, command) }
  }
  // A server that hangs up (421) once it has heard of the recipient may take other mail all the same.
  const isLost = responseCode === 0 || responseCode === 421 || command === 'CONN'
  return { kind: 'deferred', response, isLost }
}

// 5.1.7 to 5.1.9: the sender, or a server on the way; 5.2.2 to 5.2.4: full, too long, a list. Anyone
// can fill a mailbox, and many servers judge the sender when they hear of the recipient.
const notOfAddress = /^(?:1\.[789]|2\.[234])$/

/**
 * Whether a final refusal is about the address: there is no such mailbox or domain. Other refusals
 * (5.7: policy; 5.6: content) say nothing about it. RFC 3463 section 3.
 */
function isOfAddress(response: string, command: string): boolean {
  const [, status = ''] = /^5\d\d[ -]5\.(\d{1,3}\.\d{1,3})\b/.exec(response) ?? []
  if (/^[12]\./.test(status)) return !notOfAddress.test(status)
  return command === 'RCPT TO' && (status === '' || status.startsWith('4.'))
}
