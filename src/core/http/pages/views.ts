import type { RefusalViews } from './views/refusal.ts'

/** JSON data of each page; times in epoch milliseconds. Features add pages by `declare module`. */
export interface Views extends RefusalViews {}

export type ViewName = keyof Views
