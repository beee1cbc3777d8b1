import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { parseEmail } from '../../core/addresses/email.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { MailServer } from './mail-server.ts'
import { plainResponse } from './plain-response.ts'

export type Delivery =
  | { readonly kind: 'sent'; readonly response: string }
  /** Permanent; `isAddress`: the mailbox does not exist. */
  | { readonly kind: 'refused'; readonly response: string; readonly isAddress: boolean }
  /** Temporary; `isLost`: the connection was lost while sending. */
  | { readonly kind: 'deferred'; readonly response: string; readonly isLost: boolean }
  /** The server accepts no mail: unreachable, bad certificate, failed login. */
  | { readonly kind: 'unavailable'; readonly response: string }

export interface SmtpSession {
  /** Never throws. Any result but `sent` closes the session. */
  send(address: string, content: Buffer): Promise<Delivery>
  close(): void
}

export interface SmtpDeps {
  readonly server: MailServer
  readonly heloName: string
  readonly from: string
  /** The only trusted CA, PEM; undefined: Node's CAs. */
  readonly ca: string | undefined
  readonly clock: Pick<Clock, 'wait'>
  readonly timeouts?: SmtpTimeouts
}

/** In milliseconds. */
export interface SmtpTimeouts {
  /** DNS, TCP and TLS, until the greeting. */
  readonly connect: number
  readonly greeting: number
  /** Without a byte from the server, later. */
  readonly silence: number
  /** Total per mail, against a server that trickles bytes. */
  readonly mail: number
}

export const smtpTimeouts: SmtpTimeouts = {
  connect: 10_000,
  greeting: 10_000,
  silence: 30_000,
  mail: 60_000,
}

export class RelayUnavailable extends Error {}

/**
 * Greeting, TLS, login. `starttls` and `tls` never send plain text and always verify the
 * certificate, whatever server and environment say. @throws RelayUnavailable
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
    allowInternalNetworkInterfaces: true, // for a server on loopback without a network
    logger: false,
    tls: {
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ...(deps.ca !== undefined && { ca: deps.ca }),
    },
  })
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => {})
  connection.on('error', lost.reject)
  // Deferred: the server's last response arrives after 'end'.
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

  /** Total timeout: a server can trickle bytes forever. */
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

/** For errors after the login. RFC 5321 section 4.2, RFC 3463. */
function failureOf(error: SmtpError): Delivery {
  const { responseCode = 0, command = '' } = error
  const response = plainResponse(error)
  // A rejected sender affects every mail.
  if (responseCode > 0 && command === 'MAIL FROM') return { kind: 'unavailable', response }
  if (responseCode >= 500 && command !== 'CONN') {
    return { kind: 'refused', response, isAddress: isOfAddress(response, command) }
  }
  // A server that hangs up (421) after RCPT may still accept other mail.
  const isLost = responseCode === 0 || responseCode === 421 || command === 'CONN'
  return { kind: 'deferred', response, isLost }
}

// 5.1.7 to 5.1.9: sender or relay; 5.2.2 to 5.2.4: full, too long, a list. Anyone can fill a
// mailbox, and many servers reject the sender only at RCPT.
const notOfAddress = /^(?:1\.[789]|2\.[234])$/

/**
 * Whether mailbox or domain do not exist. Other rejections (5.7: policy; 5.6: content) do not
 * count. RFC 3463 section 3.
 */
function isOfAddress(response: string, command: string): boolean {
  const [, status = ''] = /^5\d\d[ -]5\.(\d{1,3}\.\d{1,3})\b/.exec(response) ?? []
  if (/^[12]\./.test(status)) return !notOfAddress.test(status)
  return command === 'RCPT TO' && (status === '' || status.startsWith('4.'))
}
