import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ports that a system gives by itself (Linux: from 32768; IANA: from 49152): none of the
// many connections and servers of other tests takes one of these before its server listens.
const [from, to] = [20_000, 32_000]
const tries = 100
const claimedBelow = 15_000 // HTTP/3 wants the UDP port of the same number

/**
 * Finds a free port of 127.0.0.1, for a server that cannot choose one itself. As long as this process
 * lives no other one finds the same.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < tries; tried += 1) {
    const port = randomInt(from, to)
    if ((await claim(port)) && (await isFree(port))) return port
  }
  throw new Error(`no free port among ${tries} from ${from} to ${to}`)
}

/** Takes a UDP port that stands for it, and that no server uses: the system gives it back at the end. */
async function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  try {
    socket.bind({ address: '127.0.0.1', port: port - claimedBelow, exclusive: true })
    await once(socket, 'listening')
  } catch {
    return false
  }
  socket.unref()
  return true
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
