import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'

/**
 * What the network between a node and its database does: passes on; swallows everything and says
 * nothing, as behind a cut cable; resets every connection; passes on late.
 */
export type Weather = 'pass' | 'swallow' | 'reset' | { readonly delayMs: number }

export interface TestNetwork {
  readonly port: number
  /** From now on, for connections that are there as well. What was swallowed comes late, in order. */
  become(weather: Weather): void
  /** Resets some of the connections that are there, by what the node sent on them first. */
  cut(which: (sent: string) => boolean): void
  /** Swallows for good what goes over some of them. */
  mute(which: (sent: string) => boolean): void
  /** From now on passes on late what goes over some of them. */
  holdBack(which: (sent: string) => boolean, delayMs: number): void
  /** Whether there is such a connection. */
  sees(which: (sent: string) => boolean): boolean
  /** What comes from now on goes to another server; connections to the old one are cut. */
  moveTo(target: string): void
  /** The most connections that the node ever held at once. */
  most(): number
  close(): Promise<void>
}

const noticedMs = 100

/** A small TCP proxy on loopback in front of a unix socket. */
export async function startProxy(first: string): Promise<TestNetwork> {
  let target = first
  let weather: Weather = 'pass'
  let most = 0
  const links = new Set<Link>()
  const server = createServer((socket) => {
    if (weather === 'reset') return void socket.resetAndDestroy()
    const link = new Link(socket, target, () => weather)
    links.add(link)
    socket.on('close', () => links.delete(link))
    // One that the node has just closed is seen to be closed a moment later.
    setTimeout(async () => {
      // What came while this process had no turn is heard first.
      for (let turns = 0; turns < 3; turns += 1) await setImmediate()
      most = Math.max(most, links.size)
    }, noticedMs)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port, // it listens on TCP
    become(next) {
      weather = next
      for (const link of links) {
        if (weather === 'reset') link.cut()
        else link.flush()
      }
    },
    cut(which) {
      for (const link of links) if (which(link.sent)) link.cut()
    },
    mute(which) {
      for (const link of links) if (which(link.sent)) link.isMute = true
    },
    holdBack(which, delayMs) {
      for (const link of links) if (which(link.sent)) link.delayMs = delayMs
    },
    sees: (which) => [...links].some((link) => which(link.sent)),
    moveTo(next) {
      target = next
      for (const link of links) link.cut()
    },
    most: () => most,
    async close() {
      for (const link of links) link.cut()
      server.close()
      await once(server, 'close')
    },
  }
}

const keptBytes = 4096

/** One connection of the node, and the one behind it. */
class Link {
  readonly #client: Socket
  readonly #server: Socket
  readonly #weather: () => Weather
  readonly #held: (() => void)[] = []
  /** The first that the node has sent, as text. */
  sent = ''
  isMute = false
  delayMs = 0
  #passed = Promise.resolve()

  constructor(client: Socket, target: string, weather: () => Weather) {
    this.#client = client
    this.#weather = weather
    this.#server = createConnection(target)
    for (const [from, to] of [
      [client, this.#server],
      [this.#server, client],
    ] as const) {
      from.on('data', (bytes) => this.#pass(() => to.write(bytes)))
      from.on('end', () => this.#pass(() => to.end()))
      from.on('error', () => this.#pass(() => to.destroy()))
    }
    client.on('data', (bytes) => {
      if (this.sent.length < keptBytes) this.sent += bytes.toString('latin1')
    })
    client.on('close', () => this.#server.destroy())
    this.#server.on('close', () => this.#pass(() => client.destroy()))
  }

  cut(): void {
    this.#client.resetAndDestroy()
    this.#server.destroy()
  }

  flush(): void {
    if (this.#weather() === 'swallow') return
    for (const step of this.#held.splice(0)) step()
  }

  #pass(step: () => void): void {
    const weather = this.isMute ? 'swallow' : this.#weather()
    if (weather === 'swallow') this.#held.push(step)
    else if (typeof weather === 'object') setTimeout(step, weather.delayMs)
    else if (this.delayMs > 0) this.#late(step)
    else step()
  }

  /** In order, though the delay may change. */
  #late(step: () => void): void {
    const due = new Promise((resolve) => setTimeout(resolve, this.delayMs))
    this.#passed = Promise.all([due, this.#passed]).then(step)
  }
}
