import cluster from 'node:cluster'
import { createPeer, type Peer } from './peer.ts'
import { type Counted, RequestCounts } from './request-counts.ts'
import {
  type BatchAnswer,
  type Place,
  type Polled,
  type SharedLimits,
  serviceOutput,
  shareOf,
  type Workers,
} from './workers.ts'

/** What a worker waits for before it serves. */
export interface Joining {
  /** Resolves when it may load the service: all but the first find compiled what that one has kept. */
  readonly mayLoad: Promise<unknown>
  /**
   * Resolves when it may start: all but the first wait until that one listens, because it migrates
   * the database and makes the keys.
   */
  readonly workers: Promise<Workers>
}

/** Makes this process a worker of the primary that has forked it. */
export function joinPrimary(): Joining {
  const answers = new Map<string, (data: unknown) => unknown>()
  const stops: ((reason: 'stop' | 'lost') => void)[] = []
  // A channel that is closed is noticed by its event, and by nothing else.
  const send = (message: unknown) => process.send?.(message, undefined, undefined, () => {})
  const peer = createPeer(send, (topic, data) => answers.get(topic)?.(data) ?? null)
  let isLost = false
  answers.set('stop', () => {
    for (const stop of stops) stop('stop')
  })
  process.on('message', peer.receive)
  // The primary decides about them: a terminal and a supervisor send their signal to all.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const) {
    process.on(signal, () => {})
  }
  const own = cluster.worker
  if (!own) throw new Error('not a worker')
  own.once('disconnect', () => {
    isLost = true
    own.exitedAfterDisconnect = true // else Node ends the process at once, with what it is doing
    peer.close()
    if (stops.length === 0) process.exit(1)
    for (const stop of stops) stop('lost')
  })
  return { mayLoad: peer.ask('load'), workers: join() }

  async function join(): Promise<Workers> {
    const place = (await peer.ask('join')) as Place | undefined
    if (!place) process.exit(1)
    return {
      ...place,
      servicePid: process.ppid,
      outputFile: () => (isLost ? serviceOutput : 1),
      share: (total) => shareOf(total, place),
      limits: sharedLimits(peer),
      askOthers: async (topic, data) =>
        ((await peer.ask('others', { topic, data })) as unknown[] | undefined) ?? [],
      pollOthers: async (topic, data) =>
        ((await peer.ask('poll', { topic, data })) as Polled[] | undefined) ?? [],
      onAsked: (topic, answer) => void answers.set(topic, answer),
      keep: (name, value) => void peer.ask('keep', { name, value }),
      loaded: async () => void (await peer.ask('loaded')),
      reading: async () => void (await peer.ask('reading')),
      holdServiceLock: async (dataDirectory) => void (await peer.ask('lock', dataDirectory)),
      listening: async () => void (await peer.ask('listening')),
      started: async () => void (await peer.ask('started')),
      crashing: async () => void (await peer.ask('crashing')),
      onStop: (stop) => void stops.push(stop),
    }
  }
}

/** The limits that the primary counts. Without a primary, a worker that stops counts by itself. */
function sharedLimits(peer: Peer): SharedLimits {
  const alone = new RequestCounts()
  let batches = 0
  return {
    async countRequest(address, windowMs, now) {
      const answer = await peer.ask('count', { address, windowMs, now })
      return (answer as Counted | undefined) ?? alone.count(address, windowMs, now)
    },

    async enterBatch({ caller, mayBeRefused, signal }) {
      batches += 1
      const id = batches
      const cancel = () => void peer.ask('cancelBatch', id)
      signal.addEventListener('abort', cancel, { once: true })
      const answer = (await peer.ask('batch', { id, caller, mayBeRefused })) ?? 'go'
      signal.removeEventListener('abort', cancel)
      return {
        answer: answer as BatchAnswer,
        leave: () => void peer.ask('endBatch', id),
      }
    },
  }
}
