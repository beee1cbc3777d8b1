export const invitation = {}
