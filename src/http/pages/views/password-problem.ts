/** Why a new password is not accepted: the rules of passwords/rules.ts. */
export type PasswordProblem =
  | { readonly rule: 'short' | 'long' | 'bytes'; readonly limit: number }
  | {
      readonly rule:
        | 'characters'
        | 'service'
        | 'username'
        | 'email'
        | 'repeated'
        | 'keyboard'
        | 'known'
        | 'decorated'
        | 'same'
        | 'other'
    }
