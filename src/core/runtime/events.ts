import { eventType, eventTypeOfProcess, type NoPayload } from '../events/types.ts'

/** `address` is the listening address, not a client's. */
type Listening = {
  readonly address: string
  readonly redirect?: string
  readonly base_url: string
  readonly workers?: number
  readonly milliseconds: number
}

export const startup = eventTypeOfProcess<Listening>('sys_startup', {
  message: 'ready',
  groups: ['service'],
  inOverview: true,
  description: 'the service is ready',
  fields: {
    address: '',
    redirect: '',
    base_url: '',
    workers: '',
    milliseconds: 'from the start of the process',
  },
  words: { en: 'Service started', de: 'Dienst gestartet' },
})

export const shutdown = eventType<NoPayload>('sys_shutdown', {
  message: 'stopped',
  groups: ['service'],
  description: 'the service has stopped, and has answered what it had accepted',
  fields: {},
  words: { en: 'Service stopped', de: 'Dienst beendet' },
})

export const crash = eventType<{ reason: string }>('sys_crash', {
  level: 'critical',
  groups: ['service'],
  inOverview: true,
  description: 'the process ends by a fault; of a killed worker, its primary process tells the log',
  fields: {
    reason:
      'the kind of the fault; of a killed worker `worker`, `pid`, `code`, `signal` in its place',
  },
  words: { en: 'Process crashed', de: 'Prozess abgestürzt' },
})

export const restart = eventType<{
  worker: number
  pid: number | null
  code: number | null
  signal: string | null
}>('sys_restart', {
  level: 'warn',
  outcome: 'success',
  message: 'a new worker has taken the place',
  groups: ['service'],
  description: 'a worker has taken the place of one that ended',
  fields: { worker: '', pid: 'of the one that ended', code: '', signal: '' },
  words: { en: 'Worker restarted', de: 'Worker neu gestartet' },
})
