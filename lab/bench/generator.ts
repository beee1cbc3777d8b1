import { connect, type Socket } from 'node:net'
import { type Answers, answers } from './answers.ts'

// The load generator, a process of its own: writes prepared bytes to raw sockets, one request at a
// time on each. A message is a Job, its answer an Outcome.

export interface Job {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** Sent in turn by all connections together, and again from the first. Latin-1. */
  readonly requests: readonly string[]
  readonly statuses: readonly number[]
  /** Requests per second at fixed times; absent: each connection sends when it has its answer. */
  readonly perSecond?: number
  readonly pauseMs?: number
  /**
   * Polls for answers and never sleeps, which takes a whole core. Otherwise a slow server pays 10
   * to 20 us to wake the generator for each answer. Only for servers of one process.
   */
  readonly isAwake?: boolean
  readonly count?: number
}

export interface Outcome {
  readonly seconds: number
  readonly answered: number
  readonly statuses: Readonly<Record<number, number>>
  readonly failure?: string
  /** Milliseconds from the time at which the request was due, at these quantiles. */
  readonly latency: Readonly<Record<'p50' | 'p99' | 'p999' | 'max', number>>
  /** Processor time of the generator itself per request. */
  readonly microseconds: number
}

process.on('message', (job) => run(job as Job).then((outcome) => process.send?.(outcome)))
process.once('disconnect', () => process.exit())

/**
 * Ends when the last request is answered. A latency counts from the time at which the request was
 * due: at a fixed rate a wait for a free connection counts (coordinated omission).
 */
function run(job: Job): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const requests = job.requests.map((text) => Buffer.from(text, 'latin1'))
  const allowed = new Set(job.statuses)
  const statuses: Record<number, number> = {}
  const latencies: number[] = []
  const sockets = new Set<Socket>()
  const free: Line[] = []
  const interval = job.perSecond === undefined ? 0 : 1000 / job.perSecond
  const spent = process.cpuUsage()
  let failure: string | undefined
  let sent = 0
  let next = 0
  let outstanding = 0
  let isOver = false
  let [startedAt, endsAt] = [0, 0]

  interface Line {
    readonly socket: Socket
    dueAt: number
    isWaiting: boolean
  }

  function send(line: Line, dueAt: number): void {
    line.dueAt = dueAt
    line.isWaiting = true
    outstanding += 1
    line.socket.write(requests[next] as Buffer) // `next` is below the length
    next += 1
    if (next === requests.length) next = 0
    sent += 1
  }

  function answered(line: Line, status: number, text: () => string): void {
    const now = performance.now()
    line.isWaiting = false
    outstanding -= 1
    latencies.push(now - line.dueAt)
    statuses[status] = (statuses[status] ?? 0) + 1
    if (!allowed.has(status)) failure ??= text()
    const isLast = now >= endsAt || sent >= (job.count ?? Number.POSITIVE_INFINITY)
    if (failure !== undefined || (isLast && outstanding === 0)) end()
    else if (isLast) return
    else if (status === 503 && job.pauseMs !== undefined) later(line, job.pauseMs)
    else if (interval === 0) send(line, now)
    else free.push(line)
  }

  function later(line: Line, milliseconds: number): void {
    setTimeout(() => {
      const now = performance.now()
      if (!isOver && now < endsAt) send(line, now)
    }, milliseconds)
  }

  function open(): void {
    const buffer = Buffer.allocUnsafeSlow(256 * 1024)
    const reader: Answers = answers((status, text) => answered(line, status, text))
    const socket = connect({
      port: job.port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer,
        callback: (bytes, chunk) => {
          reader.take(chunk as Buffer, bytes)
          return true
        },
      },
    })
    const line: Line = { socket, dueAt: 0, isWaiting: false }
    sockets.add(socket)
    socket.on('error', (error) => {
      failure ??= String(error)
    })
    socket.on('close', () => {
      sockets.delete(socket)
      if (isOver) return
      if (line.isWaiting) failure ??= 'a connection ended without an answer'
      const index = free.indexOf(line)
      if (index >= 0) free.splice(index, 1)
      if (failure === undefined) open()
      else end()
    })
    socket.on('connect', () => {
      if (startedAt === 0) begin()
      if (isOver) return
      if (interval === 0) send(line, performance.now())
      else free.push(line)
    })
  }

  function begin(): void {
    startedAt = performance.now()
    endsAt = startedAt + job.seconds * 1000
    setTimeout(() => {
      if (outstanding === 0) end()
    }, job.seconds * 1000) // where all clients pause
    setTimeout(end, job.seconds * 1000 + 20_000).unref() // a server that answers no more
    if (interval > 0) tick()
    else if (job.isAwake) stayAwake()
  }

  function stayAwake(): void {
    if (!isOver) setImmediate(stayAwake)
  }

  /** Sends what is due. It never sleeps: a timer of a millisecond would be late by most of one. */
  function tick(): void {
    if (isOver) return
    const now = performance.now()
    while (free.length > 0 && startedAt + sent * interval <= now) {
      send(free.shift() as Line, startedAt + sent * interval)
    }
    if (now < endsAt) setImmediate(tick)
    else if (outstanding === 0) end()
  }

  function end(): void {
    if (isOver) return
    isOver = true
    const seconds = (performance.now() - startedAt) / 1000
    const { user, system } = process.cpuUsage(spent)
    for (const socket of sockets) socket.destroy()
    const sorted = Float64Array.from(latencies).sort()
    const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN
    resolve({
      seconds,
      answered: sorted.length,
      statuses,
      ...(failure === undefined ? {} : { failure }),
      latency: { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1) },
      microseconds: (user + system) / sorted.length,
    })
  }

  for (let count = 0; count < job.connections; count += 1) open()
  return promise
}
