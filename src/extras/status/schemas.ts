import {
  Count,
  type JsonSchema,
  named,
  Text,
  TextOrNull,
  Time,
  TimeOrNull,
} from '../../core/http/schemas.ts'
import { Labels } from '../statistics/series-schemas.ts'

const Flag = { type: 'boolean' } as const
const Seconds = { type: 'number', minimum: 0 } as const
const SecondsOrNull = { type: ['number', 'null'], minimum: 0 } as const

/** A part that can be unknown, because what tells it is broken. */
const orNull = <const Schema extends JsonSchema>(schema: Schema) =>
  ({ anyOf: [schema, { type: 'null' }] }) as const

export const statusParts = [
  'readiness',
  'schema',
  'mail',
  'webhooks',
  'jobs',
  'backups',
  'throttled',
  'unusual',
] as const
export type StatusPart = (typeof statusParts)[number]

const Readiness = {
  type: 'object',
  required: ['ready', 'reason', 'warnings'],
  properties: {
    ready: Flag,
    reason: {
      ...TextOrNull,
      description:
        'Why the node that answers should get no requests: docs/health.md; null: it can serve',
    },
    warnings: {
      type: 'array',
      items: Text,
      description: 'What an operator should look at although it can serve: docs/health.md',
    },
  },
  additionalProperties: false,
} as const

const SchemaState = {
  type: 'object',
  required: ['version', 'latest'],
  properties: {
    version: { ...Count, description: 'Of the database' },
    latest: { ...Count, description: 'That this program knows' },
  },
  additionalProperties: false,
} as const

const Mail = {
  type: 'object',
  required: ['enabled', 'server', 'waiting', 'failed', 'oldest_waiting_seconds', 'trouble'],
  properties: {
    enabled: { ...Flag, description: 'Whether mail is sent, or in development written to files' },
    server: { ...Flag, description: 'Whether SMTP_URL names a mail server' },
    waiting: Count,
    failed: { ...Count, description: 'Given up, and still kept' },
    oldest_waiting_seconds: { ...Seconds, description: '0: none waits' },
    trouble: {
      anyOf: [
        {
          type: 'object',
          required: ['since', 'response'],
          properties: {
            since: Time,
            response: { ...Text, description: 'What the mail server said at last' },
          },
          additionalProperties: false,
        },
        { type: 'null' },
      ],
      description: 'Null while the mail server takes mail',
    },
  },
  additionalProperties: false,
} as const

const Webhooks = {
  type: 'object',
  required: [
    'enabled',
    'disabled',
    'failed',
    'oldest_waiting_seconds',
    'oldest_waiting_failing_seconds',
  ],
  properties: {
    enabled: { ...Count, description: 'Endpoints' },
    disabled: Count,
    failed: { ...Count, description: 'Disabled because they took nothing' },
    oldest_waiting_seconds: { ...Seconds, description: 'For endpoints that answer; 0: none waits' },
    oldest_waiting_failing_seconds: {
      ...Seconds,
      description: 'For those that have failed since they last took something',
    },
  },
  additionalProperties: false,
} as const

const Job = named(
  'JobState',
  {
    type: 'object',
    required: [
      'name',
      'every_seconds',
      'last_run_at',
      'last_success_at',
      'last_failure_at',
      'failures',
      'result',
      'overdue',
    ],
    properties: {
      name: Text,
      every_seconds: Seconds,
      last_run_at: TimeOrNull,
      last_success_at: TimeOrNull,
      last_failure_at: TimeOrNull,
      failures: { ...Count, description: 'Since the start of the process' },
      result: {
        type: 'string',
        enum: ['succeeded', 'failed', 'waiting'],
        description: '`waiting`: it has not run yet',
      },
      overdue: {
        ...Flag,
        description: 'It has not succeeded for three times as long as it should take',
      },
    },
    additionalProperties: false,
  },
  {
    name: 'backups',
    every_seconds: 5,
    last_run_at: '2026-03-02T09:00:00.000Z',
    last_success_at: '2026-03-02T09:00:00.000Z',
    last_failure_at: null,
    failures: 0,
    result: 'succeeded',
    overdue: false,
  },
)

const Backups = {
  type: 'object',
  required: ['enabled', 'last_at', 'age_seconds', 'every_seconds', 'failures', 'detail', 'warning'],
  properties: {
    enabled: { ...Flag, description: 'Whether the service makes backups by itself: BACKUP_DIR' },
    last_at: { ...TimeOrNull, description: 'When the state began that the newest backup holds' },
    age_seconds: SecondsOrNull,
    every_seconds: SecondsOrNull,
    failures: { ...Count, description: 'Attempts that failed since the newest backup' },
    detail: { ...TextOrNull, description: 'Why the last attempt failed' },
    warning: { type: ['string', 'null'], enum: ['backup_failed', 'backup_late', null] },
  },
  additionalProperties: false,
} as const

const Throttled = {
  type: 'object',
  required: ['logins', 'addresses', 'accounts'],
  properties: {
    logins: { ...Count, description: 'Usernames at an address' },
    addresses: Count,
    accounts: { ...Count, description: 'Locked out after failed logins' },
  },
  additionalProperties: false,
} as const

const UnusualSeries = named(
  'UnusualSeries',
  {
    type: 'object',
    required: ['name', 'labels', 'count', 'usual', 'days'],
    properties: {
      name: { ...Text, description: 'A series of /api/admin/statistics/series' },
      labels: Labels,
      count: { ...Count, description: 'In the last 60 minutes' },
      usual: {
        type: 'number',
        minimum: 0,
        description: 'The median of the same hour of the days before',
      },
      days: { ...Count, description: 'How many days were compared' },
    },
    additionalProperties: false,
  },
  {
    name: 'logins',
    labels: { method: 'password', result: 'refused' },
    count: 240,
    usual: 11,
    days: 14,
  },
)

export const AdminStatus = named(
  'AdminStatus',
  {
    type: 'object',
    required: [
      'at',
      'version',
      'node_version',
      'database',
      'host',
      'base_url',
      'started_at',
      'uptime_seconds',
      'workers',
      ...statusParts,
      'unknown',
    ],
    properties: {
      at: { ...Time, description: 'The time of the service' },
      version: Text,
      node_version: Text,
      database: { type: 'string', enum: ['sqlite', 'postgresql'] },
      host: { ...Text, description: 'The machine that answers' },
      base_url: { ...Text, description: 'BASE_URL' },
      started_at: { ...Time, description: 'Of the process that answers' },
      uptime_seconds: Count,
      workers: { ...Count, description: 'WORKERS: the processes of this machine' },
      readiness: orNull(Readiness),
      schema: orNull(SchemaState),
      mail: orNull(Mail),
      webhooks: orNull(Webhooks),
      jobs: {
        ...orNull({ type: 'array', items: Job }),
        description: 'Of this machine; of a job that each process runs, the one that fares worst',
      },
      backups: orNull(Backups),
      throttled: { ...orNull(Throttled), description: 'What is refused now' },
      unusual: {
        ...orNull({ type: 'array', items: UnusualSeries }),
        description:
          'What has happened in the last hour at least 20 times, and more than three times as often as usual at this time of the day. Empty for the first three days',
      },
      unknown: {
        type: 'array',
        description: 'The parts that are null, because what tells them is broken',
        items: {
          type: 'object',
          required: ['part', 'reason'],
          properties: {
            part: { type: 'string', enum: statusParts },
            reason: { type: 'string', enum: ['database', 'late', 'fault'] },
          },
          additionalProperties: false,
        },
      },
    },
    additionalProperties: false,
  },
  {
    at: '2026-03-02T09:30:00.000Z',
    version: '1.0.0',
    node_version: '26.0.0',
    database: 'sqlite',
    host: 'gatehouse-1',
    base_url: 'https://auth.example.org',
    started_at: '2026-03-02T08:00:00.000Z',
    uptime_seconds: 5400,
    workers: 1,
    readiness: { ready: true, reason: null, warnings: [] },
    schema: { version: 25, latest: 25 },
    mail: {
      ...{ enabled: true, server: true, waiting: 0, failed: 0 },
      ...{ oldest_waiting_seconds: 0, trouble: null },
    },
    webhooks: {
      enabled: 1,
      disabled: 0,
      failed: 0,
      oldest_waiting_seconds: 0,
      oldest_waiting_failing_seconds: 0,
    },
    jobs: [],
    backups: {
      enabled: true,
      last_at: '2026-03-02T03:00:00.000Z',
      age_seconds: 23_400,
      every_seconds: 86_400,
      failures: 0,
      detail: null,
      warning: null,
    },
    throttled: { logins: 0, addresses: 0, accounts: 0 },
    unusual: [],
    unknown: [],
  },
)

export const SettingsList = named(
  'SettingsList',
  {
    type: 'object',
    required: ['data'],
    properties: {
      data: {
        type: 'array',
        items: named(
          'SettingInForce',
          {
            type: 'object',
            required: [
              'name',
              'value',
              'default',
              'source',
              'file',
              'is_secret',
              'is_set',
              'description',
            ],
            properties: {
              name: Text,
              value: {
                ...TextOrNull,
                description:
                  'As it was written, or the default; null: a secret, or nothing is set and nothing is the default',
              },
              default: {
                ...Text,
                description: 'The value if it is not set, or what happens then, in words',
              },
              source: {
                type: 'string',
                enum: ['default', 'environment', 'file'],
                description: '`file`: the one that NAME_FILE names',
              },
              file: { ...TextOrNull, description: 'The path of that file' },
              is_secret: { ...Flag, description: 'Its value is never shown' },
              is_set: Flag,
              description: Text,
            },
            additionalProperties: false,
          },
          {
            name: 'PORT',
            value: '8080',
            default: '3000',
            source: 'environment',
            file: null,
            is_secret: false,
            is_set: true,
            description: 'Port to listen on.',
          },
        ),
      },
    },
    additionalProperties: false,
  },
  { data: [] },
)
