/** A user of the users resource. Spec 2.1; an answer shows exactly these fields. */
export interface User {
  readonly id: number
  readonly name: string
  readonly email: string
}

export type NewUser = Pick<User, 'name' | 'email'>
export type UserChanges = { readonly [Field in keyof NewUser]?: NewUser[Field] | undefined }
