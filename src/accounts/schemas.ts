import Type from 'typebox'
import { closed, RoleName } from '../http/schemas.ts'
import { CreateUser } from '../users/schemas.ts'

/** How an account is shown: never its hash. */
export const AccountBody = Type.Object(
  {
    username: Type.String(),
    user_id: Type.Integer(),
    roles: Type.Array(RoleName),
    locked: Type.Boolean(),
    active: Type.Boolean(),
    second_factor: Type.Boolean(),
    created_at: Type.String({ format: 'date-time' }),
  },
  closed,
)

export const AccountPage = Type.Object(
  {
    page: Type.Integer(),
    limit: Type.Integer(),
    total: Type.Integer(),
    data: Type.Array(AccountBody),
  },
  closed,
)

const Password = Type.String({ format: 'text', maxLength: 1024 })
const Roles = Type.Array(Type.String({ maxLength: 32 }), {
  maxItems: 16,
  description: 'USER, EDITOR, ADMIN; a leading ROLE_ is removed',
})

export const CreateAccount = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 256 }),
  password: Password,
  roles: Roles,
  must_change: Type.Optional(Type.Boolean()),
  user_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'A user that exists; or else give name and email',
    }),
  ),
  name: Type.Optional(CreateUser.properties.name),
  email: Type.Optional(CreateUser.properties.email),
})

export const UpdateAccount = Type.Object({
  roles: Type.Optional(Roles),
  locked: Type.Optional(Type.Boolean()),
  active: Type.Optional(Type.Boolean()),
  password: Type.Optional(Password),
  must_change: Type.Optional(Type.Boolean()),
})

export const AccountName = Type.Object({ username: Type.String() })
