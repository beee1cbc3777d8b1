/** One thing that works or not, in words, and the area where more of it stands. */
export interface Health {
  readonly id: string
  readonly name: string
  readonly level: 'good' | 'warning' | 'bad' | 'off' | 'unknown'
  readonly text: string
  readonly href: string | null
}
