import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../core/config/load.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { compose, type OutgoingMail } from './compose.ts'
import type { Sender } from './mail-server.ts'
import { plainResponse } from './plain-response.ts'
import { type Delivery, openSession, RelayUnavailable, type SmtpTimeouts } from './smtp.ts'

/** Where mail goes: a mail server, or files in development. */
export interface Transport {
  /** @throws RelayUnavailable */
  open(): Promise<TransportSession>
}

export interface TransportSession {
  /** After anything but `sent` the session is closed. */
  send(mail: OutgoingMail): Promise<Delivery>
  close(): void
}

export interface TransportDeps {
  readonly config: Pick<Config, 'database' | 'mail'>
  readonly clock: Clock
  readonly timeouts?: SmtpTimeouts
}

/** Answers null if there is no mail: see `Outbox.isAvailable`. */
export function createTransport(deps: TransportDeps): Transport | null {
  const { mail } = deps.config
  if (mail.server && mail.from) return relayTransport(deps, mail.server, mail.from)
  return mail.isOn ? fileTransport(mailFolder(deps.config)) : null
}

function relayTransport(
  { config, clock, timeouts }: TransportDeps,
  server: NonNullable<Config['mail']['server']>,
  from: Sender,
): Transport {
  const { caFile, heloName, replyTo } = config.mail
  return {
    async open() {
      const session = await openSession({
        server,
        heloName,
        from: from.address,
        ca: caFile === undefined ? undefined : await readAuthority(caFile),
        clock,
        ...(timeouts && { timeouts }),
      })
      return {
        send: async (mail) => session.send(mail.address, await compose(mail, { from, replyTo })),
        close: session.close,
      }
    },
  }
}

/** Read at each connection, so that a renewed one counts without a restart. */
async function readAuthority(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new RelayUnavailable(`MAIL_CA_FILE: ${plainResponse(error)}`, { cause: error })
  }
}

/** The folder of the mail of development. */
export function mailFolder({ database }: Pick<Config, 'database'>): string {
  return join(database.dataDirectory, 'mail')
}

const developmentSender: Sender = { name: '', address: 'gatehouse@localhost.example' }
const keptFiles = 200

/** Writes `.eml` files, whose names begin with their time; the newest are kept. */
export function fileTransport(folder: string): Transport {
  return {
    open: async () => ({
      async send(mail) {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const content = await compose(mail, { from: developmentSender, replyTo: undefined })
        const name = `${new Date(mail.at).toISOString().replaceAll(/[:.]/g, '-')}-${mail.id}.eml`
        await writeFile(join(folder, name), content, { mode: 0o600 })
        const older = (await mailFiles(folder)).slice(keptFiles)
        await Promise.all(older.map((file) => rm(join(folder, file), { force: true })))
        return { kind: 'sent', response: `written to ${name}` }
      },
      close() {},
    }),
  }
}

/** The id of a mail of development, by the name of its file. */
export function idOfFile(name: string): string {
  return /Z-([^.]+)\.eml$/.exec(name)?.[1] ?? ''
}

/** The names of the mail of development, the newest first. */
export async function mailFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []) // before the first mail
  return names
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .reverse()
}
