/** The pages on which a person chooses a new password, having forgotten the old one. */
export type ResetViews = Record<never, never>
