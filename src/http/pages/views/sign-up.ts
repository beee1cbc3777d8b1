/** The pages on which a person signs up. */
export type SignUpViews = Record<never, never>
