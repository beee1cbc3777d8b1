import Type from 'typebox'
import { loginModes } from '../config.ts'
import { closed } from '../http/schemas.ts'

/**
 * Fields of POST /login. A username or password of another type is no validation error but wrong
 * credentials (401), so that every refused login looks alike.
 */
export const LoginBody = Type.Object({
  username: Type.Optional(Type.Unknown({ description: 'Text' })),
  password: Type.Optional(Type.Unknown({ description: 'Text' })),
  mode: Type.Optional(
    Type.Enum([...loginModes], {
      description: 'What to answer; the default depends on the content type',
    }),
  ),
  new_password: Type.Optional(
    Type.String({
      format: 'text',
      maxLength: 1024,
      description: 'For an account that must change its password',
    }),
  ),
})

/** One of three answers, by mode. */
export const LoginAnswer = Type.Union([
  Type.Object({ message: Type.String(), csrf_token: Type.String() }, closed),
  Type.Object(
    { token: Type.String(), token_type: Type.Literal('Bearer'), expires_in: Type.Integer() },
    closed,
  ),
  Type.Object(
    {
      access_token: Type.String(),
      refresh_token: Type.String(),
      token_type: Type.Literal('Bearer'),
      expires_in: Type.Integer(),
    },
    closed,
  ),
])
