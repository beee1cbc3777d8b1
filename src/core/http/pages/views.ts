import type { RefusalViews } from './views/refusal.ts'

/**
 * What each page shows, by the name of the page. Plain data, as in JSON: no functions, and a time is
 * in milliseconds since 1970. `web/` makes the HTML of it, in the language of the reader. Each feature
 * adds its own pages by `declare module`.
 */
export interface Views extends RefusalViews {}

export type ViewName = keyof Views
