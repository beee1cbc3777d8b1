import type { RefusalViews } from './views/refusal.ts'

/**
 * The JSON-like data of each page, by name; times in epoch milliseconds. `web/` renders the HTML.
 * Features add pages by `declare module`.
 */
export interface Views extends RefusalViews {}

export type ViewName = keyof Views
