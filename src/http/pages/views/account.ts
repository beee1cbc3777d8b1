/** The pages of a person's own account. */
export type AccountViews = Record<never, never>
