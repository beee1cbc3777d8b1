import {
  Count,
  exactly,
  Id,
  type JsonSchema,
  named,
  Text,
  TextOrNull,
  Time,
  TimeOrNull,
} from '../../core/http/schemas.ts'
import { problemKinds } from './verify/report.ts'

const CountOrNull = { type: ['integer', 'null'], minimum: 0 } as const

const orNull = <const Schema extends JsonSchema>(schema: Schema) =>
  ({ anyOf: [schema, { type: 'null' }] }) as const

const NamedCheckpoint = exactly({ number: Id, at: Time })

const problemExample = {
  what: 'changed',
  chain: 'bV0mX2nYcRk5tZ8uWdE7fG',
  place: 17,
  number: 4211,
  id: '01KAYQ3V6E8X7N5T2R9W0ZB4CD',
  detail: 'the record is not what was written at this place: it was changed, swapped or inserted',
}

const AuditProblem = named(
  'AuditProblem',
  exactly({
    what: {
      type: 'string',
      enum: problemKinds,
    },
    chain: TextOrNull,
    place: CountOrNull,
    number: CountOrNull,
    id: TextOrNull,
    detail: { ...Text, description: 'One sentence' },
  }),
  problemExample,
)

const Restore = exactly({ id: Text, at: Time, file: TextOrNull, created_at: TextOrNull })

const Fork = exactly({
  from: Count,
  to: Count,
  lines: Count,
  at: { ...Time, description: 'The newest of them' },
  restore: {
    description: 'The recorded restore of a backup that explains them',
    ...orNull(Restore),
  },
})

const resultExample = {
  ok: true,
  first: null,
  problem_count: 0,
  problems: [],
  fork: null,
  checked: { records: 4211, chains: 6, checkpoints: 388, tombstones: 0, outside: 388 },
  erased: 2,
  last_checkpoint: { number: 388, at: '2026-03-02T08:15:00.000Z' },
  last_outside: { number: 388, at: '2026-03-02T08:15:00.000Z' },
  uncovered: { records: 3, since: '2026-03-02T08:15:20.000Z' },
  notes: [],
}

const AuditReport = named(
  'AuditReport',
  {
    type: 'object',
    required: [
      ...['ok', 'first', 'problem_count', 'problems', 'fork', 'checked', 'erased'],
      ...['last_checkpoint', 'last_outside', 'uncovered', 'notes'],
    ] as const,
    properties: {
      ok: { type: 'boolean', description: 'Whether nothing was changed, removed or added' },
      first: {
        description: 'The first problem, in the order of the records',
        ...orNull(AuditProblem),
      },
      problem_count: Count,
      problems: { type: 'array', items: AuditProblem, description: 'The first 20' },
      fork: {
        description: 'Checkpoints that the file outside has and the database lacks',
        ...orNull(Fork),
      },
      checked: exactly({
        records: Count,
        chains: Count,
        checkpoints: Count,
        tombstones: Count,
        outside: {
          ...CountOrNull,
          description:
            'Lines of the file outside; null without one: a cut tail or an old copy is not seen then',
        },
      }),
      erased: { ...Count, description: 'Records of erased persons' },
      last_checkpoint: orNull(NamedCheckpoint),
      last_outside: orNull(NamedCheckpoint),
      uncovered: exactly({
        records: { ...Count, description: 'Which no checkpoint covers yet' },
        since: TimeOrNull,
      }),
      notes: { type: 'array', items: Text, description: 'What to know although it is no problem' },
    },
    additionalProperties: false,
  },
  resultExample,
)

const verificationExample = {
  id: 3,
  state: 'done',
  asked_at: '2026-03-02T08:15:28.000Z',
  started_at: '2026-03-02T08:15:30.000Z',
  finished_at: '2026-03-02T08:15:31.000Z',
  node: 'gatehouse-1',
  records: 4211,
  detail: null,
  result: resultExample,
}

export const AuditVerification = named(
  'AuditVerification',
  {
    type: 'object',
    required: [
      ...['id', 'state', 'asked_at', 'started_at', 'finished_at'],
      ...['node', 'records', 'detail', 'result'],
    ] as const,
    properties: {
      id: Id,
      state: {
        type: 'string',
        enum: ['waiting', 'running', 'done', 'failed'],
        description: '`done`: `result` says what was found; `failed`: it came to no result',
      },
      asked_at: Time,
      started_at: TimeOrNull,
      finished_at: TimeOrNull,
      node: { ...Text, description: 'The host that verifies' },
      records: { ...Count, description: 'Verified so far' },
      detail: { ...TextOrNull, description: 'Why it failed, or why it was begun anew' },
      result: orNull(AuditReport),
    },
    additionalProperties: false,
  },
  verificationExample,
)

export const AuditVerificationState = named(
  'AuditVerificationState',
  {
    type: 'object',
    required: [
      ...['last_checkpoint', 'checkpoint_seconds', 'uncovered_seconds'],
      ...['sinks', 'open', 'last'],
    ] as const,
    properties: {
      last_checkpoint: {
        description: 'The last signed statement of how far the chains go',
        ...orNull(exactly({ number: Id, at: Time, age_seconds: Count })),
      },
      checkpoint_seconds: { ...Count, description: 'AUDIT_CHECKPOINT_SECONDS' },
      uncovered_seconds: {
        ...Count,
        description: 'The age of the oldest record of this process that no checkpoint covers yet',
      },
      sinks: {
        type: 'array',
        description: 'What receives checkpoints and records outside, as far as this process sends',
        items: exactly({
          name: Text,
          unsent_seconds: { ...Count, description: 'The age of the oldest that it lacks' },
        }),
      },
      open: { description: 'The one that waits or runs', ...orNull(AuditVerification) },
      last: { description: 'The last one that has ended', ...orNull(AuditVerification) },
    },
    additionalProperties: false,
  },
  {
    last_checkpoint: { number: 388, at: '2026-03-02T08:15:00.000Z', age_seconds: 42 },
    checkpoint_seconds: 300,
    uncovered_seconds: 12,
    sinks: [{ name: 'file', unsent_seconds: 0 }],
    open: null,
    last: verificationExample,
  },
)
