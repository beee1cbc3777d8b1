/** The pages of a sign-in: of a password, of a second factor, of what an account must do first. */
export type SignInViews = Record<never, never>
