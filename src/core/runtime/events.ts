import { eventType, eventTypeOfProcess, type NoPayload } from '../events/types.ts'

/** Where the service listens: no event of a request, so that `address` is its own. */
type Listening = {
  readonly address: string
  readonly redirect?: string
  readonly base_url: string
  readonly workers?: number
  /** From the start of the process until the service was ready. */
  readonly milliseconds: number
}

export const startup = eventTypeOfProcess<Listening>('sys_startup', 'info', 'success', 'ready')

/** The service has stopped as it was told to, and has answered all requests that it had accepted. */
export const shutdown = eventType<NoPayload>('sys_shutdown', 'info', 'success', 'stopped')

/** The process ends because of a fault; `reason` names its kind, and the log beside it the fault. */
export const crash = eventType<{ reason: string }>('sys_crash', 'critical')

/** A worker has taken the place of one that had ended: how that ended is told with it. */
export const restart = eventType<{
  worker: number
  pid: number | null
  code: number | null
  signal: string | null
}>('sys_restart', 'warn', 'success', 'a new worker has taken the place')
