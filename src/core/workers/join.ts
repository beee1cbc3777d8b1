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

export interface Joining {
  /** Load the service after the first worker, to reuse its compile cache. */
  readonly mayLoad: Promise<unknown>
  /** Start after the first worker listens, which migrates the database and creates the keys. */
  readonly workers: Promise<Workers>
}

export function joinPrimary(): Joining {
  const answers = new Map<string, (data: unknown) => unknown>()
  const stops: ((reason: 'stop' | 'lost') => void)[] = []
  // The event of a closed channel is handled.
  const send = (message: unknown) => process.send?.(message, undefined, undefined, () => {})
  const peer = createPeer(send, (topic, data) => answers.get(topic)?.(data) ?? null)
  let isLost = false
  answers.set('stop', () => {
    for (const stop of stops) stop('stop')
  })
  process.on('message', peer.receive)
  // A terminal and a supervisor signal all processes: only the primary decides.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const) {
    process.on(signal, () => {})
  }
  const own = cluster.worker
  if (!own) throw new Error('not a worker')
  own.once('disconnect', () => {
    isLost = true
    own.exitedAfterDisconnect = true // otherwise Node exits at once, with work unfinished
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

/** Counted by the primary; locally if the primary is gone. */
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
