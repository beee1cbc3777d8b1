/** Spec 2.1: exactly these response fields. */
export interface User {
  readonly id: number
  readonly name: string
  readonly email: string
}

export type NewUser = Pick<User, 'name' | 'email'>
export type UserChanges = { readonly [Field in keyof NewUser]?: NewUser[Field] | undefined }
