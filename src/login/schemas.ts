import { Captcha } from '../accounts/schemas.ts'
import { loginModes } from '../config/settings-table.ts'
import { Integer, type JsonSchema, Text, TextOrNull } from '../http/schemas.ts'

/**
 * The fields of POST /login. A username or password that is no text counts as wrong credentials
 * (401), not as a validation error, so that all refused logins look alike.
 */
export const LoginBody = {
  type: 'object',
  properties: {
    username: { description: 'Text' },
    password: { description: 'Text' },
    mode: {
      enum: loginModes,
      description: 'What to answer; the default depends on the content type',
    },
    captcha: Captcha,
    totp: { description: 'Six digits, for an account with a second factor' },
    recovery_code: { description: 'Text, in place of `totp`' },
    new_password: {
      type: 'string',
      format: 'text',
      maxLength: 1024,
      description: 'For an account that must change its password',
    },
  },
} as const

const Bearer = { const: 'Bearer' } as const

/** The answer of a login, in one of three forms by mode. */
export const LoginAnswer = {
  anyOf: [
    {
      type: 'object',
      required: ['message', 'csrf_token'],
      properties: { message: Text, csrf_token: Text },
    },
    {
      type: 'object',
      required: ['token', 'token_type', 'expires_in'],
      properties: { token: Text, token_type: Bearer, expires_in: Integer },
    },
    {
      type: 'object',
      required: ['access_token', 'refresh_token', 'token_type', 'expires_in'],
      properties: {
        access_token: Text,
        refresh_token: Text,
        token_type: Bearer,
        expires_in: Integer,
      },
    },
  ],
} as const

const page = <const Item extends JsonSchema>(items: Item) =>
  ({
    type: 'object',
    required: ['total', 'data'],
    properties: { total: Integer, data: { type: 'array', items } },
    additionalProperties: false,
  }) as const

/** The answer of GET /api/admin/throttle: two lists with the same page and limit. */
export const ThrottleNow = {
  type: 'object',
  required: ['page', 'limit', 'accounts', 'counts'],
  properties: {
    page: Integer,
    limit: Integer,
    accounts: page({
      type: 'object',
      required: ['username', 'failures', 'locked_until'],
      properties: {
        username: Text,
        failures: { type: 'integer', description: 'In a row, over all addresses' },
        locked_until: { ...TextOrNull, description: 'Of the automatic lock' },
      },
      additionalProperties: false,
    }),
    counts: page({
      type: 'object',
      required: ['count', 'username', 'address', 'used', 'pending', 'attempts', 'blocked_until'],
      properties: {
        count: {
          enum: ['login', 'address', 'captcha', 'second_factor', 'client', 'client_address'],
        },
        username: { ...TextOrNull, description: 'Where an account that fails has it' },
        client: {
          ...TextOrNull,
          description: 'Of `client` alone: its id, if there is such a client',
        },
        address: TextOrNull,
        used: Integer,
        pending: { type: 'integer', description: 'Whose verdict is awaited' },
        attempts: { type: 'integer', description: 'The limit; 0: none' },
        blocked_until: TextOrNull,
      },
      additionalProperties: false,
    }),
  },
  additionalProperties: false,
} as const
