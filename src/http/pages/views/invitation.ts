/** The pages on which a person accepts an invitation. */
export type InvitationViews = Record<never, never>
