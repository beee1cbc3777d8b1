import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { AuditSink } from '../audit-sinks.ts'
import { outsideRecord } from './outside-record.ts'
import type { Item, Sink, SinkOffset } from './sink.ts'
import {
  checkpointMessage,
  octetCounted,
  recordMessage,
  type SyslogSender,
  syslogSender,
} from './syslog-format.ts'

type SyslogAddress = Exclude<AuditSink, { kind: 'file' }>

/** For sinks that cannot report offsets. */
export interface SinkOffsets {
  get(name: string): Promise<SinkOffset | null>
  set(name: string, offset: SinkOffset): Promise<void>
}

export interface SyslogSinkOptions {
  readonly address: SyslogAddress
  readonly offsets: SinkOffsets
  readonly sender?: SyslogSender
  /** Timeout without data. */
  readonly silentMs?: number
  readonly batchMs?: number
}

// RFC 5426 section 3.2: receivers should accept 2048 octets.
const maxDatagramBytes = 2048
const silentMs = 5000
// Limits a server that reads slowly.
const batchMs = 12 * silentMs
const refusalMs = 50

/**
 * One connection per batch: the server closes its side after reading everything (RFC 5425 section
 * 4.4), which confirms delivery. UDP messages can be lost (RFC 5426).
 */
export function syslogSink({ address, offsets, ...options }: SyslogSinkOptions): Sink {
  const sender = options.sender ?? syslogSender()
  const limits = { silentMs, batchMs, ...options }
  const deliver = address.kind === 'udp' ? sendDatagrams : sendStream
  return {
    name: address.name,
    takesRecords: true,
    fromTheBeginning: false,
    offset: () => offsets.get(address.name),
    send: (items) =>
      deliver(
        address,
        items.map((item) => messageOf(sender, address, item)),
        limits,
      ),
    arrived: (offset) => offsets.set(address.name, offset),
  }
}

function messageOf(sender: SyslogSender, { kind }: SyslogAddress, item: Item): string {
  const maxBytes = kind === 'udp' ? maxDatagramBytes : Infinity
  return 'record' in item
    ? recordMessage(sender, outsideRecord(item.record), maxBytes)
    : checkpointMessage(sender, item.checkpoint, maxBytes)
}

async function sendDatagrams(
  { host, port }: SyslogAddress,
  messages: readonly string[],
): Promise<void> {
  const { address, family } = await lookup(host)
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
  try {
    // Only a connected UDP socket receives ICMP errors.
    socket.connect(port, address)
    await once(socket, 'connect')
    const refused = once(socket, 'error').then(([error]) => {
      throw error
    })
    refused.catch(() => {}) // avoids an unhandled rejection
    for (const message of messages) {
      const sent = new Promise<void>((resolve, reject) => {
        socket.send(message, (error) => (error ? reject(error) : resolve()))
      })
      await Promise.race([sent, refused])
    }
    await Promise.race([wait(refusalMs), refused])
  } finally {
    socket.removeAllListeners('error').on('error', () => {})
    socket.close()
  }
}

async function sendStream(
  address: SyslogAddress,
  messages: readonly string[],
  limits: { readonly silentMs: number; readonly batchMs: number },
): Promise<void> {
  const socket = connected(address)
  const tooSlow = new Error('the other side is too slow')
  const limit = setTimeout(() => socket.destroy(tooSlow), limits.batchMs)
  let failure: Error | undefined
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
  })
  socket.setTimeout(limits.silentMs, () => {
    socket.destroy(new Error('the other side is silent'))
  })
  socket.on('error', (error) => {
    failure ??= error
  })
  let isRead = false
  socket.once('end', () => {
    isRead = true
  })
  socket.resume() // discards data from the server
  for (const message of messages) {
    if (failure) break
    if (!socket.write(octetCounted(message))) {
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
    }
  }
  socket.end()
  await closed
  clearTimeout(limit)
  if (failure) throw failure
  if (!isRead) throw new Error('the other side has not read to the end')
}

function connected({ kind, host, port, tls }: SyslogAddress): Socket {
  if (kind !== 'tls') return connectTcp({ host, port })
  return connectTls({
    ...{ host, port, minVersion: 'TLSv1.2' },
    ...(isIP(host) === 0 && { servername: host }),
    ...(tls.ca !== undefined && { ca: tls.ca }),
    ...(tls.cert !== undefined && { cert: tls.cert }),
    ...(tls.key !== undefined && { key: tls.key.reveal() }),
  })
}
