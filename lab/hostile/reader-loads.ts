import { get } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { getRequest, openUnread, readRest } from './connections.ts'
import type { Load, Sent, Target } from './load.ts'

const slowReaders = 400
const connections = 100
const pipelined = 30
const exporters = 20
const searches = 20
const dripBytes = 256

/** Loads of clients that read nothing or slowly, or request lists again and again. */
export const loads: readonly Load[] = [
  {
    // More than the kernel buffers of an unread answer.
    name: `${slowReaders} readers of /users, one after another, that read nothing`,
    run: (target, seconds) =>
      unread(target, seconds, slowReaders, getRequest('/users', target.user).repeat(pipelined), 10),
  },
  {
    name: `${slowReaders} readers of pages of 1,000 users that read nothing`,
    run: (target, seconds) =>
      unread(target, seconds, slowReaders, getRequest('/users?limit=1000', target.user).repeat(60)),
  },
  {
    name: `${connections} connections with ${pipelined} pipelined GET /users each, nothing read`,
    memoryMebibytes: 256,
    run: (target, seconds) =>
      unread(target, seconds, connections, getRequest('/users', target.user).repeat(pipelined)),
  },
  {
    name: `${connections} connections with 2,000 pipelined GET / each, behind one GET /users`,
    run: (target, seconds) =>
      unread(
        target,
        seconds,
        connections,
        getRequest('/users', target.user) + 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2000),
      ),
  },
  {
    name: `${connections} readers of pages of 100,000 users that read nothing`,
    run: (target, seconds) =>
      unread(
        target,
        seconds,
        connections,
        getRequest('/users?limit=100000', target.user).repeat(pipelined),
      ),
  },
  {
    name: `${exporters} exports read at ${4 * dripBytes} bytes a second`,
    run: drip,
  },
  {
    name: `${searches} parallel searches of /api/v2/users?q=, again and again`,
    run: search,
  },
]

async function unread(
  target: Target,
  seconds: number,
  count: number,
  bytes: string,
  pauseMs = 0,
): Promise<Sent> {
  const sockets: Socket[] = []
  for (let opened = 0; opened < count; opened += 1) {
    sockets.push(await openUnread(target, bytes))
    if (pauseMs > 0) await wait(pauseMs)
  }
  await wait(seconds * 1000)
  const requests = bytes.split('HTTP/1.1\r\n').length - 1
  return readRest(sockets, count * requests)
}

/** Repeats exports on one connection and reads a few bytes at a time. */
async function drip(target: Target, seconds: number): Promise<Sent> {
  const bytes = getRequest('/api/admin/export/accounts', target.admin).repeat(pipelined)
  const sockets = await Promise.all(
    Array.from({ length: exporters }, () => openUnread(target, bytes)),
  )
  const timer = setInterval(() => {
    for (const socket of sockets) readSome(socket)
  }, 250)
  await wait(seconds * 1000)
  clearInterval(timer)
  return readRest(sockets, exporters * pipelined)
}

function readSome(socket: Socket): void {
  if (!socket.destroyed) socket.read(dripBytes)
}

async function search({ host, port, user }: Target, seconds: number): Promise<Sent> {
  const answers: Record<string, number> = {}
  const until = performance.now() + seconds * 1000
  let sent = 0
  const callers = Array.from({ length: searches }, async (_, caller) => {
    while (performance.now() < until) {
      sent += 1
      const text = `er ${caller}`
      const path = `/api/v2/users?limit=1000&q=${encodeURIComponent(text)}`
      const status = await statusOf(host, port, path, user)
      answers[status] = (answers[status] ?? 0) + 1
    }
  })
  await Promise.all(callers)
  return { sent, answers }
}

function statusOf(host: string, port: number, path: string, authorization: string) {
  return new Promise<string>((resolve) => {
    const headers = { authorization }
    get({ host, port, path, headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(String(response.statusCode)))
      response.on('error', () => resolve('cut off'))
    }).on('error', () => resolve('no answer'))
  })
}
