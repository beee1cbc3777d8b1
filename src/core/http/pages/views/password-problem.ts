/** A missing password, or a rule of passwords/rules.ts. */
export type PasswordProblem =
  | { readonly rule: 'short' | 'long' | 'bytes'; readonly limit: number }
  | {
      readonly rule:
        | 'missing'
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
