import { createServer, type Socket } from 'node:net'
import { serve } from './serve.ts'

/** A receiver of webhooks: it takes everything, says nothing, or answers 1 GB. */
export type Target = 'takes' | 'silent' | 'endless'

const head = 'HTTP/1.1 200 OK\r\nContent-Length:'
const chunk = Buffer.alloc(65_536, 'a')
const gigabyte = 1_073_741_824

serve<Target>(async (kind) => {
  const server = createServer((socket) => {
    socket.on('error', () => {}) // the service ends a connection at will
    socket.once('data', () => {
      if (kind === 'takes') socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
      if (kind === 'endless') pour(socket)
    })
  })
  return { server }
})

function pour(socket: Socket): void {
  socket.write(`${head} ${gigabyte}\r\n\r\n`)
  let left = gigabyte
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      left -= chunk.length
      if (!socket.write(chunk)) return void socket.once('drain', more)
    }
  }
  more()
}
