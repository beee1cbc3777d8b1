import cluster, { type Worker } from 'node:cluster'
import { isatty } from 'node:tty'
import { handedTo } from './handed-connections.ts'
import { lineOutput, primaryLog, wholeLines } from './log.ts'
import { createPeer, type Peer } from './peer.ts'
import { createPoll } from './poll.ts'
import { type BatchRequest, type CountRequest, createPrimaryLimits } from './shared-limits.ts'
import {
  type EndOfWorker,
  type Place,
  replacedExitCode,
  serviceOutput,
  stopSignals,
} from './workers.ts'

/** A worker without an answer in time is ended. */
const answerMs = 2_000
/** Longer than a worker's drain of ten seconds. */
const stopMs = 11_000
// Repeats within this time are ignored: see `drainOnSignal`.
const sameSignalMs = 2_000
/** Longer-lived workers did not fail at start. */
const soundMs = 10_000
const firstPauseMs = 100
const maxPauseMs = 5_000
const levelChanged = 'the level of the log is changed'

interface Slot {
  readonly index: number
  worker?: Worker | undefined
  peer?: Peer | undefined
  poll?: ReturnType<typeof createPoll> | undefined
  bornAt: number
  starts: number
  /** A worker that reads the database must receive changes. */
  isReading: boolean
  isListening: boolean
  /** Stopped before listening. */
  isCut?: boolean
  hasTold?: boolean
  replaces: EndOfWorker | null
  /** Consecutive workers that failed at start. */
  early: number
  timer?: NodeJS.Timeout
}

/** Before the replacement of a worker that failed at start. */
export function pauseMs(early: number): number {
  return early === 0 ? 0 : Math.min(firstPauseMs * 2 ** (early - 1), maxPauseMs)
}

/**
 * The parent of `count` workers. Opens no database and imports nothing of the service, to stay
 * small.
 */
export function runPrimary(count: number, env: NodeJS.ProcessEnv): void {
  const output = lineOutput()
  const { log, toggle } = primaryLog(output, env.LOG_LEVEL)
  const limits = createPrimaryLimits()
  const slots: Slot[] = Array.from({ length: count }, (_, index) => ({
    index,
    bornAt: 0,
    starts: 0,
    isReading: false,
    isListening: false,
    early: 0,
    replaces: null,
  }))
  const firstLoads = Promise.withResolvers<void>()
  const firstListens = Promise.withResolvers<void>()
  const allListen = Promise.withResolvers<void>()
  const kept: Record<string, unknown> = {}
  const isTerminal = isatty(1)
  let isStarted = false
  let signalledAt: number | undefined
  let exitCode = 0
  let lock: Promise<void> | undefined

  // The system's own distribution would give one worker most connections.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({
    stdio: Object.assign(['ignore', 'pipe', 'inherit', 'ipc'], { [serviceOutput]: 1 }),
  })
  // The first process of a container ignores signals without a handler.
  const stopping = stopSignals({ isTerminal })
  for (const signal of stopping) process.on(signal, () => stop(signal))
  process.on('SIGUSR2', changeLevel)
  if (!stopping.includes('SIGHUP')) {
    process.on('SIGHUP', () => {
      log('info', { signal: 'SIGHUP' }, 'files are read anew')
      tellAll('read files')
    })
  }
  for (const slot of slots) fork(slot)

  function fork(slot: Slot): void {
    const worker = cluster.fork(env)
    const peer = createPeer(
      (message) => worker.process.send(message as object, undefined, undefined, () => {}),
      (topic, data) => answer(slot, topic, data),
    )
    slot.bornAt = performance.now()
    slot.starts += 1
    slot.worker = worker
    slot.peer = peer
    slot.poll = createPoll(peer, worker.process.pid ?? 0)
    worker.on('message', peer.receive)
    const closeHanded = handedTo(worker)
    worker.process.stdout?.on('data', wholeLines(output.write))
    worker.on('error', () => {})
    // After the streams end: the last lines come first.
    worker.process.once('close', (code, signal) => {
      closeHanded()
      peer.close()
      limits.forget(worker)
      ended(slot, worker, code, signal)
    })
  }

  async function answer(slot: Slot, topic: string, data: unknown): Promise<unknown> {
    const { worker } = slot
    if (!worker) return null
    switch (topic) {
      case 'load':
        if (slot.index > 0) await firstLoads.promise
        return null
      case 'loaded':
        firstLoads.resolve()
        return null
      case 'join':
        if (slot.index > 0) await firstListens.promise
        return placeOf(slot)
      case 'reading':
        slot.isReading = true
        return null
      case 'lock':
        // Once: a replacement asks again.
        lock ??= import('./service-lock.ts').then((own) => own.holdServiceLock(data as string))
        await lock
        return null
      case 'listening':
        return listening(slot)
      case 'crashing':
        slot.hasTold = true
        return null
      case 'started':
        // The first worker may still find that the service cannot start.
        if (slot.index === 0) isStarted = true
        return null
      case 'others': {
        const asked = data as { topic: string; data: unknown }
        const others = slots.filter((other) => other !== slot && other.isReading)
        return Promise.all(others.map((other) => askWorker(other, asked)))
      }
      case 'poll': {
        const asked = data as { topic: string; data: unknown }
        const others = slots.filter((other) => other !== slot && other.isReading)
        return Promise.all(others.flatMap(({ poll }) => poll?.(asked.topic, asked.data) ?? []))
      }
      case 'keep': {
        const { name, value } = data as { name: string; value: unknown }
        kept[name] = value
        return null
      }
      case 'count':
        return limits.count(data as CountRequest)
      case 'batch':
        return limits.batch(worker, data as BatchRequest)
      case 'endBatch':
        return limits.endBatch(worker, data as number)
      case 'cancelBatch':
        return limits.cancelBatch(worker, data as number)
    }
    throw new Error(`unknown topic ${topic}`)
  }

  function placeOf({ index, starts, replaces }: Slot): Place {
    // Computed without process.stdout, which would no longer block after first use.
    return { index, count, isFirstStart: starts === 1, replaces, kept, isTerminal }
  }

  async function listening(slot: Slot): Promise<null> {
    slot.isListening = true
    if (slot.starts > 1) return null
    if (slot.index === 0) firstListens.resolve()
    if (slots.every(({ isListening }) => isListening)) allListen.resolve()
    if (slot.index === 0) await allListen.promise
    return null
  }

  /** Ends the worker on timeout or failure. */
  async function askWorker(slot: Slot, { topic, data }: { topic: string; data: unknown }) {
    const { worker, peer } = slot
    if (!worker || !peer) return null
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('it does not answer')), answerMs)
    })
    try {
      return await Promise.race([peer.ask(topic, data), late])
    } catch (error) {
      const fields = { worker: slot.index, pid: worker.process.pid, reason: String(error) }
      log('error', fields, 'a worker cannot be trusted to know of a change: it is ended')
      const closed = new Promise((resolve) => worker.process.once('close', resolve))
      worker.process.kill('SIGKILL')
      await closed
      return null
    } finally {
      clearTimeout(timer)
    }
  }

  function ended(slot: Slot, worker: Worker, code: number | null, signal: string | null): void {
    slot.worker = undefined
    slot.peer = undefined
    slot.poll = undefined
    slot.isReading = false
    slot.isListening = false
    if (code === replacedExitCode) {
      // All workers have the same files open. A kill closes no database.
      log('fatal', { worker: slot.index, exit_code: code }, 'files of the database were replaced')
      exitCode = code
      killAll()
      leave()
    }
    if (signalledAt !== undefined) {
      exitCode = Math.max(exitCode, code ?? (slot.isCut ? 0 : 1))
      if (slots.every((other) => !other.worker)) leave()
      return
    }
    if (!isStarted) {
      // Unless killed, the worker has reported the cause. The other workers must not start either.
      if (signal) process.stderr.write(`Gatehouse cannot start: a worker was ended by ${signal}\n`)
      killAll()
      process.exit(1)
    }
    slot.early = performance.now() - slot.bornAt < soundMs ? slot.early + 1 : 0
    slot.replaces = { pid: worker.process.pid ?? null, code, signal }
    const fields = { worker: slot.index, ...slot.replaces }
    const event = slot.hasTold ? {} : { event: 'sys_crash' }
    log('error', { ...event, ...fields }, 'a worker has ended: another takes its place')
    slot.hasTold = false
    forkLater(slot)
  }

  function forkLater(slot: Slot): void {
    slot.timer = setTimeout(() => {
      try {
        fork(slot)
      } catch (error) {
        slot.early += 1
        log(
          'error',
          { worker: slot.index, reason: String(error) },
          'a worker cannot be started yet',
        )
        forkLater(slot)
      }
    }, pauseMs(slot.early))
  }

  function changeLevel(): void {
    const fields = (level: string) => ({ signal: 'SIGUSR2', log_level: level })
    const isDebug = kept['log level'] !== undefined
    if (isDebug) log('info', fields(env.LOG_LEVEL || 'info'), levelChanged)
    const level = toggle()
    if (isDebug) delete kept['log level']
    else {
      kept['log level'] = level
      log('info', fields(level), levelChanged)
    }
    tellAll('log level', kept['log level'] ?? null)
  }

  /** Later workers receive the kept values. */
  function tellAll(topic: string, data?: unknown): void {
    for (const { peer } of slots) peer?.ask(topic, data).catch(() => {})
  }

  function stop(signal: NodeJS.Signals): void {
    const now = performance.now()
    if (signalledAt !== undefined) {
      if (now - signalledAt > sameSignalMs) abandon()
      return
    }
    signalledAt = now
    log('info', { signal }, 'stopping: accepted requests are answered first')
    setTimeout(abandon, stopMs).unref()
    for (const slot of slots) {
      clearTimeout(slot.timer)
      if (slot.isListening) void slot.peer?.ask('stop')
      else {
        slot.isCut = true
        slot.worker?.process.kill('SIGKILL')
      }
    }
    allListen.resolve() // the remaining workers will not listen
    if (slots.every(({ worker }) => !worker)) leave()
  }

  function leave(): void {
    if (exitCode === 0) log('info', { workers: count }, 'all workers have stopped')
    output.flush()
    process.exit(exitCode)
  }

  /** Without finishing pending work. */
  function abandon(): void {
    killAll()
    process.exit(1)
  }

  function killAll(): void {
    for (const { worker } of slots) worker?.process.kill('SIGKILL')
  }
}
