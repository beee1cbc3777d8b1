import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { afterwards } from './afterwards.ts'
import type { Certificate } from './self-signed.ts'
import { localCertificate } from './tls-files.ts'

/** A mail that a relay has taken. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
  readonly message: Email
  /** Whether it came over TLS. */
  readonly isSecure: boolean
  /** The user who was logged in. */
  readonly user: string | null
}

export interface Relay {
  readonly port: number
  readonly certificate: Certificate
  /** The settings of a service that uses it. */
  readonly env: Record<string, string>
  /** What it has taken, in order. */
  readonly mails: ReceivedMail[]
  /** The addresses of all RCPT TO, refused ones too. */
  readonly recipients: string[]
  /** How many connections there were. */
  connections(): number
  stop(): Promise<void>
}

/** What a relay answers: nothing, to accept, or a status such as `550 5.1.1 No such user`. */
export type Answer = string | undefined

export interface RelayOptions {
  readonly security?: 'starttls' | 'tls' | 'none'
  /** STARTTLS is not offered, as behind an attacker who strips it. */
  readonly stripsStartTls?: boolean
  /** Of the server; `authority` is that which the service trusts. */
  readonly certificate?: Certificate
  readonly authority?: string
  readonly user?: { readonly name: string; readonly password: string }
  onSender?(address: string): Answer
  onRecipient?(address: string): Answer
  onMessage?(mail: ReceivedMail): Answer | Promise<Answer>
  /** Ends the connection after the message, without an answer. */
  readonly closesAfterData?: boolean
  readonly port?: number
}

class Refusal extends Error {
  readonly responseCode: number
  constructor(answer: string) {
    super(answer.slice(4))
    this.responseCode = Number(answer.slice(0, 3))
  }
}

function answered(answer: Answer, accept: (error?: Error | null) => void): void {
  accept(answer === undefined ? null : new Refusal(answer))
}

/** A mail server on loopback that keeps what it takes. It is stopped after the tests of the file. */
export async function startRelay(options: RelayOptions = {}): Promise<Relay> {
  const { security = 'starttls', user, certificate = localCertificate() } = options
  const mails: ReceivedMail[] = []
  const recipients: string[] = []
  let connections = 0
  const server = new SMTPServer({
    ...certificate,
    secure: security === 'tls',
    hideSTARTTLS: options.stripsStartTls === true,
    disabledCommands: [
      ...(user ? [] : ['AUTH']),
      ...(security === 'starttls' && !options.stripsStartTls ? [] : ['STARTTLS']),
    ],
    authOptional: user === undefined,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 10,
    onConnect(_session, accept) {
      connections += 1
      accept()
    },
    onAuth({ username, password }, _session, done) {
      if (user && username === user.name && password === user.password) {
        return done(null, { user: username })
      }
      done(new Refusal('535 5.7.8 Authentication failed'))
    },
    onMailFrom: ({ address }, _session, accept) => answered(options.onSender?.(address), accept),
    onRcptTo({ address }, _session, accept) {
      recipients.push(address)
      answered(options.onRecipient?.(address), accept)
    },
    async onData(stream, session, done) {
      const chunks: Buffer[] = []
      try {
        for await (const chunk of stream) chunks.push(chunk as Buffer)
      } catch {
        return // the client was gone before the end: it is no mail
      }
      const raw = Buffer.concat(chunks).toString()
      const { mailFrom, rcptTo } = session.envelope
      const mail: ReceivedMail = {
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        raw,
        message: await PostalMime.parse(raw),
        isSecure: session.secure,
        user: typeof session.user === 'string' ? session.user : null,
      }
      const answer = await options.onMessage?.(mail)
      if (answer === undefined) mails.push(mail)
      if (options.closesAfterData) {
        for (const connection of server.connections) connection._socket.destroy()
        return
      }
      answered(answer, (error) => done(error, '2.0.0 Ok: queued'))
    },
  })
  server.on('error', () => {}) // a client that does not trust the certificate ends the connection
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo // it listens on a port
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()))
  afterwards(stop)
  return {
    port,
    certificate,
    env: relayEnv(port, security, options.authority ?? certificate.cert, user),
    mails,
    recipients,
    connections: () => connections,
    stop,
  }
}

/** The settings of a service that sends its mail to a port of loopback. */
export function relayEnv(
  port: number,
  security: NonNullable<RelayOptions['security']> = 'starttls',
  authority: string | undefined = undefined,
  user?: RelayOptions['user'],
): Record<string, string> {
  const scheme = { starttls: 'smtp', tls: 'smtps', none: 'smtp+insecure' }[security]
  const login = user ? `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}@` : ''
  return {
    SMTP_URL: `${scheme}://${login}127.0.0.1:${port}`,
    MAIL_FROM: 'Example <no-reply@id.example.org>',
    ...(authority !== undefined && { MAIL_CA_FILE: authorityFile(authority) }),
  }
}

function authorityFile(authority: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-authority-'))
  afterwards(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'authority.pem')
  writeFileSync(file, authority)
  return file
}

/** The stages at which a mail server can stop to answer. */
export const stages = ['connect', 'greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'message'] as const
export type Stage = (typeof stages)[number]

const answers: Record<string, string> = {
  EHLO: '250-relay\r\n250 SIZE 1000000',
  MAIL: '250 Ok',
  RCPT: '250 Ok',
  DATA: '354 Go on',
  message: '250 Ok: queued',
  RSET: '250 Ok',
  QUIT: '221 Bye',
}

export interface SilentRelay {
  readonly port: number
  readonly env: Record<string, string>
  /** What it was sent, in order: the words of the commands, and `message`. */
  readonly heard: string[]
  stop(): Promise<void>
}

/**
 * A mail server in clear that stops to answer at a stage, or answers it for ever with a byte now and
 * then (`drips`), which no time-out of silence ends.
 */
export async function startSilentRelay(silentAt: Stage, drips = false): Promise<SilentRelay> {
  const heard: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    if (silentAt === 'connect') return
    say(socket, 'greeting', '220 relay ESMTP')
    let text = ''
    let isMessage = false
    socket.on('data', (chunk) => {
      text += chunk.toString()
      for (;;) {
        const end = text.indexOf(isMessage ? '\r\n.\r\n' : '\r\n')
        if (end < 0) return
        const stage = isMessage ? 'message' : (text.slice(0, end).split(' ', 1)[0] ?? '')
        text = text.slice(end + (isMessage ? 5 : 2))
        heard.push(stage)
        isMessage = stage === 'DATA' && silentAt !== 'DATA'
        say(socket, stage, answers[stage] ?? '500 What?')
      }
    })
  })
  function say(socket: Socket, stage: string, answer: string): void {
    if (stage !== silentAt) {
      socket.write(`${answer}\r\n`)
    } else if (drips) {
      const drip = setInterval(() => socket.write(`${answer.slice(0, 3)}-`), 20).unref()
      socket.on('close', () => clearInterval(drip))
    }
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  afterwards(stop)
  return { port, env: relayEnv(port, 'none'), heard, stop }
}
