import { readFileSync } from 'node:fs'
import type { Config } from '../../config/load.ts'
import { type Assets, createAssets } from './assets.ts'
import { colorsOf } from './colors.ts'
import { pagePrefixes } from './host-prefix.ts'

/** Null without the setting. */
export interface Branding {
  readonly style: string | null
  readonly logo: string | null
}

/** Colour and logo as files, so that pages need no inline content. */
export function createBranding({ color, logo }: Config['pages']): {
  assets: Assets
  branding: Branding
} {
  const files = {
    ...(color !== undefined && { 'look.css': Buffer.from(styleOf(color)) }),
    ...(color !== undefined && logo === null && { 'logo.svg': iconIn(color) }),
    ...(logo !== null && { [logo.name]: Buffer.from(logo.base64, 'base64') }),
  }
  const logoName = logo?.name ?? (color === undefined ? null : 'logo.svg')
  const assets = createAssets('/look', () => files, { areForeign: true, prefixes: pagePrefixes })
  const branding = {
    style: color === undefined ? null : assets.address('look.css'),
    logo: logoName === null ? null : assets.address(logoName),
  }
  return { assets, branding }
}

/** Default logo in a colour. */
function iconIn(color: string): Buffer {
  const icon = readFileSync(new URL('./icon.svg', import.meta.url), 'utf8')
  return Buffer.from(icon.replace(/stroke="#[0-9a-f]{6}"/, `stroke="${color}"`))
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
