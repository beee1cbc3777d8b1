import { readFileSync } from 'node:fs'
import type { Config } from '../../config/load.ts'
import { type Assets, createAssets } from './assets.ts'
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

/** sRGB, 0 to 255. */
type Color = readonly [red: number, green: number, blue: number]

// Backgrounds of links and text.
const lightGrounds = ['#ffffff', '#f4f6f8']
const darkGrounds = ['#14171b', '#1d2228']
const black: Color = [0, 0, 0]
const white: Color = [255, 255, 255]
// WCAG 2.2, 1.4.3, plus rounding margin.
const enough = 4.6

/** Hex colours derived from BRAND_COLOR. */
export interface Colors {
  /** Button background; the text is black or white, by contrast. */
  readonly button: string
  readonly onButton: string
  /** Link colours, adjusted until readable on light and dark backgrounds. */
  readonly light: string
  readonly dark: string
}

/** From `#rrggbb`. */
export function colorsOf(hex: string): Colors {
  const color = parse(hex)
  const isDark = contrast(color, white) >= contrast(color, black)
  return {
    button: hex,
    onButton: isDark ? '#ffffff' : '#000000',
    light: readable(color, black, lightGrounds),
    dark: readable(color, white, darkGrounds),
  }
}

/** Mixes in the minimum of `other` for readability. */
function readable(color: Color, other: Color, grounds: readonly string[]): string {
  for (let percent = 0; percent < 100; percent += 2) {
    const mixed = color.map((part, index) =>
      Math.round((part * (100 - percent) + (other[index] ?? 0) * percent) / 100),
    ) as unknown as Color // same length
    if (grounds.every((ground) => contrast(mixed, parse(ground)) >= enough)) return toHex(mixed)
  }
  return toHex(other)
}

/** 1 to 21. WCAG 2.2. */
export function contrast(one: Color, other: Color): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

/** WCAG 2.2. */
function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export function parse(hex: string): Color {
  const number = Number.parseInt(hex.slice(1), 16)
  return [number >> 16, (number >> 8) & 255, number & 255]
}

function toHex(color: Color): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}
