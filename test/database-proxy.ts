import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer } from 'node:net'
import type { PostgresAddress } from '../src/core/database/postgres/address.ts'

/** Decides for each message of the server whether it is passed on; `type` is its first letter. */
export type Pass = (type: string, message: Buffer) => boolean

/**
 * Starts a proxy on loopback in front of PostgreSQL; answers its address as a `DATABASE_URL`.
 * `connected` is called for each connection.
 */
export async function databaseProxy(
  { host, port, user, database }: PostgresAddress,
  connected: () => Pass,
): Promise<string> {
  const server = createServer({ noDelay: true }, (client) => {
    const pass = connected()
    const behind = createConnection(
      host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
    )
    let unread = Buffer.alloc(0)
    behind.on('data', (bytes: Buffer) => {
      unread = Buffer.concat([unread, bytes])
      // Type, length of the rest, body. https://www.postgresql.org/docs/current/protocol-message-formats.html
      while (unread.length >= 5 && unread.length > unread.readUInt32BE(1)) {
        const message = unread.subarray(0, unread.readUInt32BE(1) + 1)
        unread = unread.subarray(message.length)
        if (pass(String.fromCharCode(message[0] ?? 0), message)) client.write(message)
      }
    })
    client.pipe(behind)
    for (const socket of [client, behind]) socket.on('error', () => {})
    client.on('close', () => behind.destroy())
    behind.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  server.unref()
  await once(server, 'listening')
  const taken = (server.address() as AddressInfo).port // it listens on TCP
  return `postgres://${user}@127.0.0.1:${taken}/${database}`
}

/**
 * The worst that a pooler in transaction mode does to a node that listens: it answers, under a
 * number of its own making, and passes every notification to another client.
 */
export function databasePooler(address: PostgresAddress): Promise<string> {
  return databaseProxy(address, () => (type, message) => {
    if (type === 'K') message.writeUInt32BE(message.readUInt32BE(5) + 1_000_000, 5) // BackendKeyData
    return type !== 'A' // NotificationResponse
  })
}
