import cluster from 'node:cluster'
import { type Answers, createPeer, type Peer } from './peer.ts'
import { RequestCounts } from './request-counts.ts'
import type { PrimaryTopics, WorkerTopics } from './topics.ts'
import {
  type PolledTopics,
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

interface Link {
  readonly primary: Peer<PrimaryTopics>
  readonly others: Peer<PolledTopics>
  readonly answers: Partial<Answers<WorkerTopics>>
  readonly stops: ((reason: 'stop' | 'lost') => void)[]
  readonly isLost: () => boolean
}

export function joinPrimary(): Joining {
  // A terminal and a supervisor signal all processes: only the primary decides.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const) {
    process.on(signal, () => {})
  }
  const link = linkToPrimary()
  return { mayLoad: link.primary.ask('load'), workers: join(link) }
}

function linkToPrimary(): Link {
  const stops: Link['stops'] = []
  const answers: Partial<Answers<WorkerTopics>> = {
    stop() {
      for (const stop of stops) stop('stop')
    },
  }
  // The event of a closed channel is handled.
  const send = (message: object) => process.send?.(message, undefined, undefined, () => {})
  const primary = createPeer<PrimaryTopics, WorkerTopics>(send, (topic, ...data) =>
    answers[topic]?.(...data),
  )
  const others = createPeer<PolledTopics, object>(send, () => undefined, 'others')
  let isLost = false
  process.on('message', primary.receive)
  process.on('message', others.receive)
  const own = cluster.worker
  if (!own) throw new Error('not a worker')
  own.once('disconnect', () => {
    isLost = true
    own.exitedAfterDisconnect = true // otherwise Node exits at once, with work unfinished
    primary.close()
    others.close()
    if (stops.length === 0) process.exit(1)
    for (const stop of stops) stop('lost')
  })
  return { primary, others, answers, stops, isLost: () => isLost }
}

async function join({ primary, others, answers, stops, isLost }: Link): Promise<Workers> {
  const place = await primary.ask('join')
  if (!place) process.exit(1)
  return {
    ...place,
    servicePid: process.ppid,
    outputFile: () => (isLost() ? serviceOutput : 1),
    share: (total) => shareOf(total, place),
    limits: sharedLimits(primary),
    pollOthers: async (topic, ...data) => (await others.ask(topic, ...data)) ?? [],
    onAsked(topic, answer) {
      answers[topic] = answer
    },
    keep: (kept) => void primary.ask('keep', kept),
    loaded: async () => void (await primary.ask('loaded')),
    holdServiceLock: async (dataDirectory) => void (await primary.ask('lock', dataDirectory)),
    listening: async () => void (await primary.ask('listening')),
    started: async () => void (await primary.ask('started')),
    crashing: async () => void (await primary.ask('crashing')),
    onStop: (stop) => void stops.push(stop),
  }
}

/** Counted by the primary; locally if the primary is gone. */
function sharedLimits(primary: Peer<PrimaryTopics>): SharedLimits {
  const alone = new RequestCounts()
  let batches = 0
  return {
    async countRequest(address, windowMs, now) {
      const counted = await primary.ask('count', { address, windowMs, now })
      return counted ?? alone.count(address, windowMs, now)
    },

    async enterBatch({ caller, mayBeRefused, signal }) {
      batches += 1
      const id = batches
      const cancel = () => void primary.ask('cancelBatch', id)
      signal.addEventListener('abort', cancel, { once: true })
      const answer = (await primary.ask('batch', { id, caller, mayBeRefused })) ?? 'go'
      signal.removeEventListener('abort', cancel)
      return { answer, leave: () => void primary.ask('endBatch', id) }
    },
  }
}
