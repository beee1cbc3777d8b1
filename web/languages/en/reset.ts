export const reset = {}
