import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync, inflateSync } from 'node:zlib'
import { smallPng } from '../tools/small-png.ts'

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
const [width, height] = [20, 5]

/** A PNG of RGBA, each row with another of the five filters. */
function png(colourAt: (x: number, y: number) => readonly [number, number, number]): Buffer {
  const stride = width * 4
  const bytes = Buffer.alloc(stride * height)
  const raw: number[] = []
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) bytes.set([...colourAt(x, y), 255], y * stride + x * 4)
  }
  for (let y = 0; y < height; y += 1) {
    raw.push(y)
    for (let at = y * stride; at < (y + 1) * stride; at += 1) {
      const isFirst = at % stride < 4
      const left = isFirst ? 0 : (bytes[at - 4] ?? 0)
      const up = bytes[at - stride] ?? 0
      const corner = isFirst ? 0 : (bytes[at - stride - 4] ?? 0)
      const [p, a, b, c] = [left + up - corner, left, up, corner]
      const closest = [a, b, c].toSorted((one, other) => Math.abs(p - one) - Math.abs(p - other))
      const guess = [0, left, up, (left + up) >> 1, closest[0] ?? 0][y] ?? 0
      raw.push(((bytes[at] ?? 0) - guess) & 255)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, 6], 8)
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.from(raw)))]
  return Buffer.concat([signature, ...chunks, chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
}

/** The palette of a picture, and the colour at a place. */
function read(picture: Buffer) {
  const chunkOf = (type: string) => {
    const at = picture.indexOf(type)
    return picture.subarray(at + 4, at + 4 + picture.readUInt32BE(at - 4))
  }
  const palette = chunkOf('PLTE')
  const rows = inflateSync(chunkOf('IDAT'))
  return {
    colours: palette.length / 3,
    colourAt(x: number, y: number): number[] {
      const place = rows[y * (width + 1) + 1 + x] ?? 0
      return [...palette.subarray(place * 3, place * 3 + 3)]
    },
  }
}

test('a picture of few colours keeps each of them, whatever the filters of its rows', () => {
  const colourAt = (x: number, y: number) => [x * 12, 255 - y * 50, (x * y) % 7] as const
  const small = read(smallPng(png(colourAt)))
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) assert.deepEqual(small.colourAt(x, y), colourAt(x, y))
  }
})

test('a picture of two colours has a palette of two', () => {
  const small = read(smallPng(png((x) => (x % 2 === 0 ? [0, 0, 0] : [255, 255, 255]))))
  assert.equal(small.colours, 2)
})
