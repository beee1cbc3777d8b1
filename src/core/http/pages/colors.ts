/** A colour of sRGB, each part from 0 to 255. */
type Color = readonly [red: number, green: number, blue: number]

// The grounds of the style sheet, on which links and text of the colour stand.
const lightGrounds = ['#ffffff', '#f4f6f8']
const darkGrounds = ['#14171b', '#1d2228']
const black: Color = [0, 0, 0]
const white: Color = [255, 255, 255]
// WCAG 2.2, 1.4.3, with a little to spare for rounding.
const enough = 4.6

/** The colours of the pages by the one of BRAND_COLOR, as hex. */
export interface Colors {
  /** The ground of buttons, as it is given; its text is black or white, whichever is told apart better. */
  readonly button: string
  readonly onButton: string
  /** Links on a light and on a dark ground: the colour, darker or lighter until it can be read. */
  readonly light: string
  readonly dark: string
}

/** Makes the colours of the pages of `#rrggbb`. */
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

/** The colour, mixed with as little of the other as makes it readable on all of the grounds. */
function readable(color: Color, other: Color, grounds: readonly string[]): string {
  for (let percent = 0; percent < 100; percent += 2) {
    const mixed = color.map((part, index) =>
      Math.round((part * (100 - percent) + (other[index] ?? 0) * percent) / 100),
    ) as unknown as Color // of the same length
    if (grounds.every((ground) => contrast(mixed, parse(ground)) >= enough)) return toHex(mixed)
  }
  return toHex(other)
}

/** The contrast ratio, from 1 to 21. WCAG 2.2, "contrast ratio". */
export function contrast(one: Color, other: Color): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

/** WCAG 2.2, "relative luminance". */
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
