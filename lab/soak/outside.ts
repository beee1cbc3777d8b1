import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A server that the service sends to, and that can be away. */
interface Outside {
  readonly port: number
  /** Frees the port: connections are refused. */
  leave(): Promise<void>
  /** Listens on the same port again. */
  comeBack(): Promise<void>
}

export interface Receiver extends Outside {
  /** Different `webhook-id`s. */
  received(): number
}

export async function startReceiver(): Promise<Receiver> {
  const ids = new Set<string>()
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      ids.add(String(request.headers['webhook-id']))
      response.writeHead(204).end()
    })
  })
  const port = await listen(server.listen(0, '127.0.0.1'))
  return {
    port,
    received: () => ids.size,
    async leave() {
      server.close()
      server.closeAllConnections()
    },
    comeBack: async () => void (await listen(server.listen(port, '127.0.0.1'))),
  }
}

export interface MailServer extends Outside {
  received(): number
  /** Whether the service may not know yet that it is here: it pauses, and each process notices apart. */
  isDoubtful(): boolean
  /**
   * The token of the next mail to an address that has a link with a token. Call it before the
   * request. @throws Error after `patienceMs`
   */
  token(address: string, patienceMs: number): Promise<string>
}

const doubtfulMs = 300_000

export async function startMailServer(): Promise<MailServer> {
  const waiting = new Map<string, (token: string) => void>()
  let mails = 0
  let isAway = false
  let backAt = Number.NEGATIVE_INFINITY
  let server = newServer()
  const port = await listen(server.listen(0, '127.0.0.1'))

  function newServer(): SMTPServer {
    const made = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 10,
      async onData(stream, { envelope }, done) {
        const raw = Buffer.concat(await Array.fromAsync(stream)).toString()
        mails += 1
        // Quoted-printable: the text part is not encoded in base64.
        const [, token] = /token=(?:3D)?([\w.-]+)/.exec(raw.replaceAll('=\r\n', '')) ?? []
        for (const { address } of envelope.rcptTo) {
          if (token !== undefined) waiting.get(address)?.(token)
        }
        done()
      },
    })
    made.on('error', () => {}) // a connection that the service ends
    return made
  }

  return {
    port,
    received: () => mails,
    isDoubtful: () => isAway || performance.now() < backAt + doubtfulMs,
    leave() {
      isAway = true
      return new Promise((resolve) => server.close(() => resolve()))
    },
    async comeBack() {
      isAway = false
      backAt = performance.now()
      server = newServer()
      await listen(server.listen(port, '127.0.0.1'))
    },
    token(address, patienceMs) {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      const late = () => reject(new Error(`no mail to ${address}`))
      const timer = setTimeout(late, patienceMs)
      waiting.set(address, resolve)
      return promise.finally(() => {
        clearTimeout(timer)
        waiting.delete(address)
      })
    },
  }
}

async function listen(server: {
  once(event: 'listening', done: () => void): unknown
  address(): unknown
}): Promise<number> {
  await once(server as never, 'listening')
  return (server.address() as AddressInfo).port // it listens on TCP
}
