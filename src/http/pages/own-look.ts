import type { Config } from '../../config/load.ts'
import { type Assets, createAssets } from './assets.ts'
import { colorsOf } from './colors.ts'
import { pagePrefixes } from './host-prefix.ts'

/** The files of the organization's own look; each is null if its setting is not set. */
export interface OwnLook {
  readonly style: string | null
  readonly logo: string | null
}

/** Serves the colour and the logo of the settings as files: nothing of them is inline in a page. */
export function ownLook({ color, logo }: Config['pages']): { assets: Assets; look: OwnLook } {
  const files = {
    ...(color !== undefined && { 'look.css': Buffer.from(styleOf(color)) }),
    ...(logo !== null && { [logo.name]: Buffer.from(logo.base64, 'base64') }),
  }
  const assets = createAssets('/look', () => files, { areForeign: true, prefixes: pagePrefixes })
  const look = {
    style: color === undefined ? null : assets.address('look.css'),
    logo: logo === null ? null : assets.address(logo.name),
  }
  return { assets, look }
}

function styleOf(color: string): string {
  const { button, onButton, light, dark } = colorsOf(color)
  return `:root {
  --accent: light-dark(${light}, ${dark});
  --button: ${button};
  --on-button: ${onButton};
}
`
}
