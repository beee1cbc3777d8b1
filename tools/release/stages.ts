import { arm64 } from './arm64.ts'
import { container } from './container.ts'
import { systemd } from './systemd.ts'

/** What `npm run release-check` tries in addition to the extras. docs/deploy.md has the figures. */
export const stages = { container, arm64, systemd }

export type Name = keyof typeof stages
