import {
  Count,
  exactly,
  Id,
  type JsonSchema,
  named,
  Text,
  TextOrNull,
  TimeOrNull,
} from '../../core/http/schemas.ts'
import { examplePasswords } from '../accounts/schemas.ts'
import { Captcha, codeFields } from '../authentication/proof-schemas.ts'
import { examplePasskey, SentPasskey } from '../passkeys/schemas.ts'
import { SessionAnswer } from '../sessions/schemas.ts'
import { AccessToken, TokenPair } from '../tokens/schemas.ts'
import { loginModes } from './settings.ts'

const NewPassword = {
  type: 'string',
  format: 'text',
  maxLength: 1024,
  description: 'For an account that must change its password',
} as const

/**
 * A username or password that is no text counts as wrong credentials (401), so that all rejected
 * logins look alike.
 */
export const LoginBody = {
  type: 'object',
  properties: {
    username: {},
    password: {},
    mode: { enum: loginModes },
    captcha: Captcha,
    totp: {},
    recovery_code: {},
    passkey: {},
    new_password: NewPassword,
  },
} as const

const credentials = { username: 'ann', password: examplePasswords.present } as const

const Mode = {
  type: 'string',
  enum: loginModes,
  description: 'What to answer; the default depends on the content type',
} as const

/** For the documentation. */
export const LoginRequest = named(
  'LoginRequest',
  {
    type: 'object',
    required: ['username', 'password'],
    properties: {
      username: { type: 'string', minLength: 1, description: 'In any case' },
      password: { type: 'string', minLength: 1, format: 'password' },
      mode: Mode,
      ...codeFields,
      passkey: SentPasskey,
      captcha: Captcha,
      new_password: NewPassword,
    },
  },
  credentials,
)

export const PasskeyLogin = named(
  'PasskeyLogin',
  {
    type: 'object',
    required: ['passkey'],
    properties: { passkey: SentPasskey, mode: Mode },
    description: 'For options of `POST /api/public/passkeys/options`',
  },
  { passkey: examplePasskey },
)

export const SentLogin = { anyOf: [LoginRequest, PasskeyLogin] } as const

export const loginExamples = {
  session: { ...credentials, mode: 'session' },
  token: { ...credentials, mode: 'token' },
  pair: { ...credentials, mode: 'pair' },
  secondFactor: { ...credentials, totp: '492039' },
  passkey: { passkey: examplePasskey },
  newPassword: { ...credentials, new_password: examplePasswords.next },
}

export const LoginAnswer = { oneOf: [SessionAnswer, AccessToken, TokenPair] } as const

const page = <const Item extends JsonSchema>(items: Item, total?: string) =>
  exactly({
    total: total === undefined ? Count : { ...Count, description: total },
    data: { type: 'array', items },
  })

const failing = { username: 'ann', failures: 3, locked_until: null } as const
const limit = {
  count: 'login',
  username: 'ann',
  address: '203.0.113.9',
  used: 3,
  pending: 0,
  attempts: 5,
  blocked_until: null,
} as const

export const LoginLimit = named(
  'LoginLimit',
  {
    type: 'object',
    required: ['count', 'username', 'address', 'used', 'pending', 'attempts', 'blocked_until'],
    properties: {
      count: {
        type: 'string',
        enum: [
          'login',
          'login_by_email',
          'device',
          'address',
          'captcha',
          'second_factor',
          'client',
          'client_address',
          'passkey_address',
          'taken_usernames',
        ],
        description:
          '`login_by_email`: one quota with `login` of the account; `device`: a browser that has signed in to it',
      },
      username: { ...TextOrNull, description: 'Where an account that fails has it' },
      client: {
        ...TextOrNull,
        description: 'Of `client` alone: its id, if there is such a client',
      },
      address: TextOrNull,
      used: Count,
      pending: { ...Count, description: 'Whose verdict is awaited' },
      attempts: { ...Count, description: 'The limit; 0: none' },
      blocked_until: TimeOrNull,
    },
    additionalProperties: false,
  },
  limit,
)

export const ThrottledAddress = {
  type: 'object',
  required: ['address'],
  properties: {
    address: {
      type: 'string',
      description: 'As GET /api/admin/throttle shows it, or any address of the network',
      examples: ['203.0.113.9'],
    },
  },
} as const

export const AddressCleared = named(
  'ClearedAddress',
  exactly({
    message: Text,
    address: { ...Text, description: 'As the limits count it: IPv4, or the /64 of IPv6' },
    logins: { ...Count, description: 'How many failed logins were forgotten' },
    clients: { ...Count, description: 'How many wrong secrets of clients were forgotten' },
    passkeys: { ...Count, description: 'How many wrong passkeys were forgotten' },
    usernames: {
      ...Count,
      description: 'How many sign-ups with a taken username were forgotten',
    },
  }),
  {
    message: 'Failed tries forgotten',
    address: '203.0.113.9',
    logins: 20,
    clients: 0,
    passkeys: 0,
    usernames: 0,
  },
)

/** Both lists share page and limit. */
export const ThrottleNow = named(
  'LoginLimits',
  exactly({
    page: Id,
    limit: Id,
    accounts: page(
      named(
        'FailingAccount',
        exactly({
          username: Text,
          failures: { ...Count, description: 'In a row, over all addresses' },
          locked_until: { ...TimeOrNull, description: 'Of the automatic lock' },
        }),
        failing,
      ),
    ),
    counts: page(LoginLimit, 'The limits of the last 2,000 attempts: pages end with them'),
  }),
  {
    page: 1,
    limit: 10,
    accounts: { total: 1, data: [failing] },
    counts: { total: 1, data: [limit] },
  },
)
