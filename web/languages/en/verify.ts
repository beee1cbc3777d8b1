export const verify = {}
