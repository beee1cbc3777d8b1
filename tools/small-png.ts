import { crc32, deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
const mostColours = 256

/**
 * A screenshot as a PNG with a palette of its 256 most frequent colours, about a third of the bytes;
 * each other colour becomes the nearest of these. Takes 8 bits a channel, without interlacing, as
 * Chromium writes; PNG, third edition, sections 9 to 11.
 */
export function smallPng(png: Buffer): Buffer {
  const { header, data } = chunksOf(png)
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const channels = header[9] === 6 ? 4 : 3
  const colours = coloursOf(unfiltered(inflateSync(data), width * channels, height, channels))
  const palette = mostFrequent(colours)
  const places = new Map(palette.map((colour, place) => [colour, place]))
  const rows = Buffer.alloc(height * (width + 1)) // each row begins with its filter, 0
  for (const [at, colour] of colours.entries()) {
    let place = places.get(colour)
    if (place === undefined) {
      place = nearest(palette, colour)
      places.set(colour, place)
    }
    rows[at + Math.floor(at / width) + 1] = place
  }
  const indexed = Buffer.from(header)
  indexed[9] = 3
  return Buffer.concat([
    signature,
    chunk('IHDR', indexed),
    chunk('PLTE', Buffer.from(palette.flatMap((colour) => channelsOf(colour)))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunksOf(png: Buffer) {
  let header: Buffer = Buffer.alloc(0)
  const data: Buffer[] = []
  for (let at = signature.length; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    if (type === 'IHDR') header = png.subarray(at + 8, end)
    if (type === 'IDAT') data.push(png.subarray(at + 8, end))
    at = end + 4
  }
  return { header, data: Buffer.concat(data) }
}

function unfiltered(raw: Buffer, stride: number, height: number, channels: number): Buffer {
  const bytes = Buffer.alloc(stride * height)
  for (let row = 0; row < height; row += 1) {
    const filter = raw[row * (stride + 1)] ?? 0
    for (let column = 0; column < stride; column += 1) {
      const at = row * stride + column
      const left = column < channels ? 0 : (bytes[at - channels] ?? 0)
      const up = row === 0 ? 0 : (bytes[at - stride] ?? 0)
      const corner = column < channels || row === 0 ? 0 : (bytes[at - stride - channels] ?? 0)
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0
      bytes[at] = (raw[row * (stride + 1) + 1 + column] ?? 0) + guess
    }
  }
  return withoutAlpha(bytes, channels)
}

function paeth(left: number, up: number, corner: number): number {
  const [byLeft, byUp] = [Math.abs(up - corner), Math.abs(left - corner)]
  const byCorner = Math.abs(left + up - 2 * corner)
  if (byLeft <= byUp && byLeft <= byCorner) return left
  return byUp <= byCorner ? up : corner
}

/** A screenshot is opaque. */
function withoutAlpha(bytes: Buffer, channels: number): Buffer {
  return channels === 3 ? bytes : Buffer.from(bytes.filter((_, at) => at % 4 !== 3))
}

function coloursOf(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 3 }, (_, at) => bytes.readUIntBE(at * 3, 3))
}

function mostFrequent(colours: readonly number[]): number[] {
  const counts = new Map<number, number>()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const ordered = [...counts].toSorted(([, one], [, other]) => other - one)
  return ordered.slice(0, mostColours).map(([colour]) => colour)
}

function nearest(palette: readonly number[], colour: number): number {
  const wanted = channelsOf(colour)
  const distances = palette.map((other) =>
    channelsOf(other).reduce((sum, value, index) => sum + (value - (wanted[index] ?? 0)) ** 2, 0),
  )
  return distances.indexOf(Math.min(...distances))
}

function channelsOf(colour: number): number[] {
  return [colour >> 16, (colour >> 8) & 255, colour & 255]
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
