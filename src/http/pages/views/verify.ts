/** The pages on which a person confirms an address. */
export type VerifyViews = Record<never, never>
