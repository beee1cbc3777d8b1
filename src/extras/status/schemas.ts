import {
  Count,
  exactly,
  Flag,
  type JsonSchema,
  named,
  nameOf,
  Seconds,
  Text,
  TextOrNull,
  Time,
  TimeOrNull,
} from '../../core/http/schemas.ts'
import type { StatusPart } from '../../core/module/monitoring.ts'

/** Null: unknown. */
const orNull = ({ schema, description }: StatusPart): JsonSchema => ({
  anyOf: [schema, { type: 'null' }],
  ...(description !== undefined && { description }),
})

export const SchemaState = exactly({
  version: { ...Count, description: 'Of the database' },
  latest: { ...Count, description: 'That this program knows' },
})

export const Job = named(
  'JobState',
  exactly({
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
  }),
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

export const adminStatus = (parts: readonly StatusPart[]) =>
  named(
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
        ...parts.map(({ name }) => name),
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
        ...Object.fromEntries(parts.map((part) => [part.name, orNull(part)])),
        unknown: {
          type: 'array',
          description: 'The parts that are null, because what tells them is broken',
          items: exactly({
            part: nameOf(parts.map(({ name }) => name)),
            reason: { type: 'string', enum: ['database', 'late', 'fault'] },
          }),
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
      ...Object.fromEntries(parts.map(({ name, example }) => [name, example])),
      unknown: [],
    },
  )

export const SettingsList = named(
  'SettingsList',
  exactly({
    data: {
      type: 'array',
      items: named(
        'SettingInForce',
        exactly({
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
        }),
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
  }),
  { data: [] },
)
