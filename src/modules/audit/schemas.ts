import {
  Count,
  exactly,
  Flag,
  Id,
  type JsonSchema,
  named,
  Text,
  TextOrNull,
  Time,
  TimeOrNull,
} from '../../core/http/schemas.ts'
import type { KnownEvent } from '../../core/module/registry.ts'

const Texts = { type: 'array', items: Text } as const
const IntegerOrNull = { type: ['integer', 'null'] } as const

const orNull = <const Schema extends JsonSchema>(schema: Schema) =>
  ({ anyOf: [schema, { type: 'null' }] }) as const

const fields = {
  number: { ...Id, description: 'The order in which records were stored; it may have gaps' },
  id: { ...Text, description: 'Unique for ever, a ULID' },
  at: { ...Time, description: 'When it happened' },
  type: { ...Text, description: 'The type of the event' },
  level: { type: 'string', enum: ['info', 'warn', 'critical'] },
  outcome: { type: 'string', enum: ['success', 'failure'] },
  reason: { ...TextOrNull, description: 'Why something was refused' },
  count: { ...Count, description: 'More than 1: of this many refusals, in a flood of them' },
  count_since: { ...TimeOrNull, description: 'When the first of these refusals was' },
  actor: {
    type: 'object',
    description: 'Who acted. The subject is a user id, `ISSUER#SUB`, `client:ID`, or as `kind`',
    required: ['kind', 'subject', 'username'],
    properties: {
      kind: {
        ...TextOrNull,
        description: '`user`, `external`, `client`, `cli`, `bootstrap`, `job` or `unknown`',
      },
      subject: TextOrNull,
      username: TextOrNull,
    },
    additionalProperties: false,
  },
  target: {
    description: 'The user whom it concerns',
    ...orNull(exactly({ user_id: IntegerOrNull, username: TextOrNull })),
  },
  details: {
    description: 'The other fields of this type of event',
    ...orNull({ type: 'object', additionalProperties: true }),
  },
  address: { ...TextOrNull, description: 'Of the client' },
  proxies: { ...Texts, description: 'Trusted proxies on the way, from the nearest on' },
  user_agent: TextOrNull,
  session: { ...TextOrNull, description: 'A digest of the session, never the cookie' },
  token: { ...TextOrNull, description: 'A digest of the `jti` of the token' },
  key: { ...TextOrNull, description: 'The id of the key or app password' },
  scheme: { ...TextOrNull, description: 'By which the caller was authenticated' },
  factors: { ...Texts, description: 'Authentication methods of the caller, RFC 8176' },
  method: { ...TextOrNull, description: 'Of the request' },
  route: TextOrNull,
  status: { ...IntegerOrNull, description: 'Of the answer' },
  request_id: { ...TextOrNull, description: 'As in X-Request-Id' },
  instance: { ...TextOrNull, description: 'The process that recorded it' },
  version: { ...TextOrNull, description: 'Of the service' },
  chain: { ...Text, description: 'The chain of records that it belongs to' },
  place: { ...Id, description: 'In its chain, without gaps' },
  erased: { ...Flag, description: 'A person was erased, whose fields are null' },
  damaged: {
    ...Flag,
    description: 'Fields do not open although their key is there: verify the log',
  },
} as const

const example = {
  number: 4211,
  id: '01KAYQ3V6E8X7N5T2R9W0ZB4CD',
  at: '2026-03-02T08:15:30.000Z',
  type: 'privilege_permissions_changed',
  level: 'warn',
  outcome: 'success',
  reason: null,
  count: 1,
  count_since: null,
  actor: { kind: 'user', subject: '1', username: 'admin' },
  target: { user_id: 7, username: 'ann' },
  details: { roles: ['USER', 'ADMIN'], locked: false, active: true },
  address: '203.0.113.7',
  proxies: [],
  user_agent: 'Mozilla/5.0',
  session: null,
  token: 'qS4hJv1bV0mX2nYcRk5tZ8uWdE7fGiL3oPaQrStUvWx',
  key: null,
  scheme: 'bearer',
  factors: ['pwd', 'otp', 'mfa'],
  method: 'PUT',
  route: '/api/admin/accounts/:username',
  status: 200,
  request_id: 'req-4f2a9c',
  instance: 'auth-1/4242',
  version: '0.4.0',
  chain: 'bV0mX2nYcRk5tZ8uWdE7fG',
  place: 17,
  erased: false,
  damaged: false,
}

/** docs/audit.md */
export const AuditRecordBody = named(
  'AuditRecord',
  {
    type: 'object',
    required: Object.keys(fields),
    properties: fields,
    additionalProperties: false,
  },
  example,
)

export const AuditPage = named(
  'AuditPage',
  exactly({
    limit: Id,
    data: { type: 'array', items: AuditRecordBody },
    next: { ...TextOrNull, description: 'The `cursor` of older records; null at the end' },
    newer: {
      ...Text,
      description:
        'The `after` of records that are stored later. A record that is stored while the page is read may come again: its `id` says so',
    },
    has_newer: {
      ...Flag,
      description: 'Whether the answer for `after` was full: ask again at once',
    },
  }),
  { limit: 10, data: [example], next: null, newer: 'WzQyMTFd', has_newer: false },
)

const person = 'a username in any spelling, a user id, `ISSUER#SUB` or `client:ID`'

const AuditType = named(
  'AuditType',
  exactly({
    type: Text,
    category: { ...Text, description: 'The part of the service that has the type' },
    level: fields.level,
    outcome: fields.outcome,
  }),
  { type: 'session_created', category: 'session', level: 'info', outcome: 'success' },
)

export const AuditTypeList = named(
  'AuditTypeList',
  exactly({ data: { type: 'array', items: AuditType } }),
  { data: [{ type: 'session_created', category: 'session', level: 'info', outcome: 'success' }] },
)

export function auditFilters(known: readonly KnownEvent[]) {
  return { type: 'object', properties: filterProperties(known) } as const
}

export function auditQuery(known: readonly KnownEvent[]) {
  return { type: 'object', properties: { ...filterProperties(known), ...pageProperties } } as const
}

function filterProperties(known: readonly KnownEvent[]) {
  return {
    type: {
      type: 'array',
      items: Text,
      description: 'Types of events: repeated, or between commas; at most 20',
      examples: [['privilege_permissions_changed']],
    },
    category: {
      type: 'string',
      enum: [...new Set(known.map(({ category }) => category))],
      description: 'Types of this part of the service: `/api/admin/audit/types` lists them',
      examples: ['session'],
    },
    level: { ...fields.level, description: 'Types of this level', examples: ['critical'] },
    outcome: { ...fields.outcome, description: 'Types of this outcome', examples: ['failure'] },
    actor: {
      ...Text,
      description: `Who acted: ${person}; \`cli\`, \`job\` or \`bootstrap\`. One that is unknown or erased has no records`,
      examples: ['admin'],
    },
    target: { ...Text, description: `Whom it concerns: ${person}`, examples: ['ann'] },
    address: { ...Text, description: 'The IP address of the client', examples: ['203.0.113.7'] },
    request_id: { ...Text, description: 'X-Request-Id of an answer', examples: ['req-4f2a9c'] },
    since: { ...Time, description: 'From this time on', examples: ['2026-03-01T00:00:00Z'] },
    until: { ...Time, description: 'Before this time', examples: ['2026-04-01T00:00:00Z'] },
  } as const
}

const pageProperties = {
  limit: {
    type: 'integer',
    minimum: 1,
    default: 10,
    description: 'A value that is no such integer counts as 10. More than 1000 counts as 1000.',
    examples: [50],
  },
  cursor: { type: 'string', description: 'The `next` of the page before, with the same filters' },
  after: {
    type: 'string',
    description:
      'The `newer` of any answer: the records that were stored since, of which one call looks through 2000; without `cursor`',
  },
} as const
