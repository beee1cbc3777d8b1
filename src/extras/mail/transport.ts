import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../core/config/load.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { compose, type OutgoingMail } from './compose.ts'
import type { Sender } from './mail-server.ts'
import { plainResponse } from './plain-response.ts'
import { type Delivery, openSession, RelayUnavailable, type SmtpTimeouts } from './smtp.ts'

export interface Transport {
  /** @throws RelayUnavailable */
  open(): Promise<TransportSession>
}

export interface TransportSession {
  /** Any result but `sent` closes the session. */
  send(mail: OutgoingMail): Promise<Delivery>
  close(): void
}

export interface TransportDeps {
  readonly config: Pick<Config, 'database' | 'mail'>
  readonly clock: Clock
  readonly timeouts?: SmtpTimeouts
}

/** Null if mail is off: see `Outbox.isAvailable`. */
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

/** Read per connection: a renewed CA needs no restart. */
async function readAuthority(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new RelayUnavailable(`MAIL_CA_FILE: ${plainResponse(error)}`, { cause: error })
  }
}

export function mailFolder({ database }: Pick<Config, 'database'>): string {
  return join(database.dataDirectory, 'mail')
}

const developmentSender: Sender = { name: '', address: 'gatehouse@localhost.example' }
const keptFiles = 200

/** Writes `.eml` files named by time; keeps the newest. */
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

export function idOfFile(name: string): string {
  return /Z-([^.]+)\.eml$/.exec(name)?.[1] ?? ''
}

export async function mailFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []) // missing before the first mail
  return names
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .reverse()
}
