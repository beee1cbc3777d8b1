import { errorTable } from '../../core/error-table.ts'
import { exactly, named, Text, TextOrNull, Time } from '../../core/http/schemas.ts'
import { remedies } from '../../core/reasons/types.ts'

const Remedies = {
  type: 'array',
  items: named('Remedy', { type: 'string', enum: remedies }, 'unlock'),
  description:
    'What an administrator can do about it now, the first being the one to try first: docs/explain.md has the request of each',
} as const

/** `remedies` before 0.13.0. */
const Mends = {
  ...Remedies,
  deprecated: true,
  description: 'The same as `remedies`; the field goes with 1.0',
} as const

const Facts = {
  type: 'object',
  additionalProperties: true,
  description: 'By the code: see docs/explain.md. Times are ISO 8601.',
} as const

const reason = {
  code: { ...Text, description: 'Never renamed' },
  guard: { ...Text, description: 'The part of the service that refused' },
  explanation: Text,
  facts: Facts,
} as const

export const RefusalId = {
  type: 'object',
  properties: {
    id: {
      type: 'string',
      description: 'The X-Request-Id of the answer',
      examples: ['Zk3vQ1xw-2f'],
    },
  },
} as const

export const RefusalBody = named(
  'Refusal',
  {
    type: 'object',
    required: [
      ...['id', 'at', 'status', 'error', 'method', 'route', 'code', 'guard', 'explanation'],
      ...['facts', 'scheme', 'subject', 'username', 'address', 'remedies', 'mends'],
    ] as const,
    properties: {
      id: Text,
      at: Time,
      status: { type: 'integer', minimum: 400, maximum: 599 },
      error: { ...Text, description: 'The text that the client saw' },
      method: Text,
      route: { ...TextOrNull, description: 'The pattern; null for an unknown path' },
      ...reason,
      scheme: { ...TextOrNull, description: 'By which the caller had authenticated' },
      subject: { ...TextOrNull, description: 'The user concerned, otherwise the caller' },
      username: { ...TextOrNull, description: 'Of the subject, as it is now' },
      address: Text,
      remedies: Remedies,
      mends: Mends,
    },
    additionalProperties: false,
  },
  {
    id: 'Zk3vQ1xw-2f',
    at: '2026-03-02T09:00:00.000Z',
    status: errorTable.invalidCredentials.status,
    error: errorTable.invalidCredentials.error,
    method: 'POST',
    route: '/login',
    code: 'account_locked',
    guard: 'account',
    explanation: 'An administrator has locked the account.',
    facts: { user_id: 2, asked_of: 'login' },
    scheme: null,
    subject: '2',
    username: 'ann',
    address: '203.0.113.7',
    remedies: ['unlock'],
    mends: ['unlock'],
  },
)

export const Question = named(
  'Question',
  {
    type: 'object',
    properties: {
      text: {
        type: 'string',
        maxLength: 16_000,
        description:
          'What was typed into one field: a token, a username, a verified mail address, or an X-Request-Id',
      },
      token: { type: 'string', maxLength: 16_000, description: 'A token of any kind' },
      username: { type: 'string', maxLength: 1024 },
      route: { type: 'string', maxLength: 2048, description: 'Method and path: `PUT /users/7`' },
    },
    description:
      '`token`; or `username`, whose login is asked about, or with `route` the request; or `text`',
  },
  { username: 'ann', route: 'PUT /users/7' },
)

const Check = exactly({
  asks: { ...Text, description: 'What the guard asks' },
  passes: { type: 'boolean' },
  code: TextOrNull,
  explanation: TextOrNull,
  facts: Facts,
})

export const Answer = named(
  'Explanation',
  {
    type: 'object',
    required: [
      ...['of', 'passes', 'status', 'error', 'code', 'guard', 'explanation', 'facts'],
      ...[
        'subject',
        'username',
        'route',
        'rule',
        'schemes',
        'checks',
        'remedies',
        'mends',
        'refusal',
      ],
    ] as const,
    properties: {
      of: {
        ...Text,
        description: '`token` with its kind, `login`, the method and path, or `refusal`',
      },
      passes: { type: 'boolean' },
      status: { type: ['integer', 'null'], description: 'Of the refusal, null without one' },
      error: { ...TextOrNull, description: 'The text that a client would see' },
      code: TextOrNull,
      guard: TextOrNull,
      explanation: Text,
      facts: Facts,
      subject: TextOrNull,
      username: TextOrNull,
      route: { ...TextOrNull, description: 'The pattern that matches' },
      rule: TextOrNull,
      schemes: { type: 'array', items: Text },
      checks: { type: 'array', items: Check, description: 'The guards of the route, in order' },
      remedies: Remedies,
      mends: Mends,
      refusal: {
        description: 'The refusal that `text` names by its X-Request-Id; null otherwise',
        anyOf: [RefusalBody, { type: 'null' }],
      },
    },
    additionalProperties: false,
  },
  {
    of: 'PUT /users/7',
    passes: false,
    status: errorTable.accessDenied.status,
    error: errorTable.accessDenied.error,
    code: 'resource_rule',
    guard: 'access rule',
    explanation:
      'The rule about the resource does not hold for this caller: not its owner, or it is locked, or of an ADMIN.',
    facts: { rule: 'owner or ADMIN', lacks: ['to be the owner, who is user 7', 'the role ADMIN'] },
    subject: '2',
    username: 'ann',
    route: '/users/:id',
    rule: 'owner or ADMIN',
    schemes: ['basic', 'session', 'bearer'],
    checks: [
      {
        asks: 'authentication by basic',
        passes: true,
        code: null,
        explanation: null,
        facts: {},
      },
    ],
    remedies: ['change_roles'],
    mends: ['change_roles'],
    refusal: null,
  },
)
