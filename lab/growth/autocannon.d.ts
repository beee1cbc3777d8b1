declare module 'autocannon' {
  export interface Client {
    setBody(body: string): void
    /** Sent in turn and repeated. */
    setRequests(requests: readonly Request[]): void
  }

  export interface Request {
    readonly method: string
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  }

  export interface Options {
    readonly url: string
    readonly connections: number
    readonly duration: number
    readonly method?: 'GET' | 'POST'
    readonly headers?: Readonly<Record<string, string>>
    readonly setupClient?: (client: Client) => void
  }

  export interface Result {
    readonly duration: number
    readonly errors: number
    readonly timeouts: number
    readonly non2xx: number
    readonly '2xx': number
    /** Milliseconds. */
    readonly latency: { readonly p99: number }
  }

  // biome-ignore lint/style/noDefaultExport: the shape of the module
  export default function autocannon(options: Options): Promise<Result>
}
