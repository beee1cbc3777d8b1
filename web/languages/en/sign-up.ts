export const signUp = {}
