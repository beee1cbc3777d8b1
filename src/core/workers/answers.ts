import type { Answerer, Answers } from './peer.ts'
import type { PrimaryLimits } from './shared-limits.ts'
import { type Running, runningOf, type Slot } from './slot.ts'
import type { Kept, Place, PrimaryTopics } from './topics.ts'
import type { PolledTopics } from './workers.ts'

export interface Answering {
  readonly slots: readonly Slot[]
  readonly kept: Kept
  readonly limits: PrimaryLimits
  readonly isTerminal: boolean
}

/** The order of the first start. */
export interface StartOrder {
  readonly firstLoads: PromiseWithResolvers<void>
  readonly firstListens: PromiseWithResolvers<void>
  readonly allListen: PromiseWithResolvers<void>
  /** The first worker has started: the service can start. */
  isStarted: boolean
}

export function createStartOrder(): StartOrder {
  return {
    firstLoads: Promise.withResolvers(),
    firstListens: Promise.withResolvers(),
    allListen: Promise.withResolvers(),
    isStarted: false,
  }
}

/** What the primary answers to a worker. */
export function createAnswers(
  { slots, kept, limits, isTerminal }: Answering,
  order: StartOrder,
): (slot: Slot, running: Running) => Answers<PrimaryTopics> {
  const { firstLoads, firstListens, allListen } = order
  let lock: Promise<void> | undefined

  return (slot, running) => ({
    async load() {
      if (slot.index > 0) await firstLoads.promise
    },
    loaded: () => firstLoads.resolve(),
    async join() {
      if (slot.index > 0) await firstListens.promise
      return placeOf(slot)
    },
    lock(dataDirectory) {
      // Once: a replacement asks again.
      lock ??= import('./service-lock.ts').then((own) => own.holdServiceLock(dataDirectory))
      return lock
    },
    async listening() {
      running.isListening = true
      if (slot.starts > 1) return
      if (slot.index === 0) firstListens.resolve()
      if (slots.every((one) => one.running?.isListening)) allListen.resolve()
      if (slot.index === 0) await allListen.promise
    },
    started() {
      // The first worker may still find that the service cannot start.
      if (slot.index === 0) order.isStarted = true
    },
    crashing() {
      running.hasTold = true
    },
    keep: (more) => void Object.assign(kept, more),
    count: (request) => limits.count(request),
    batch: (request) => limits.batch(running.worker, request),
    endBatch: (id) => limits.endBatch(running.worker, id),
    cancelBatch: (id) => limits.cancelBatch(running.worker, id),
  })

  function placeOf({ index, starts, replaces }: Slot): Place {
    const isFirstStart = starts === 1
    // Computed without process.stdout, which would no longer block after first use.
    return { index, count: slots.length, isFirstStart, replaces, kept, isTerminal }
  }
}

/** Answers of all workers that listen, except the one that asks. */
export function pollingOthers(slots: readonly Slot[], own: Slot): Answerer<PolledTopics> {
  return (topic, ...data) => {
    const others = runningOf(slots.filter((slot) => slot !== own))
    const listening = others.filter(({ isListening }) => isListening)
    return Promise.all(listening.map(({ poll }) => poll(topic, ...data)))
  }
}
