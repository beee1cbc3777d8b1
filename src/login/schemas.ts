import { Integer, Text } from '../http/schemas.ts'
import { loginModes } from '../settings-table.ts'

/**
 * Fields of POST /login. A username or password of another type is no validation error but wrong
 * credentials (401), so that every refused login looks alike.
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
    captcha: {
      type: 'string',
      maxLength: 4096,
      description: 'The solution of a challenge: base64 of JSON, as the widget of ALTCHA sends it',
    },
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

/** One of three answers, by mode. */
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
