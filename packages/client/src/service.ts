/** The service, as clients of each mode send to it. */
export interface Service {
  readonly url: string
  /** Whether a browser sends its cookies: only a session has one. */
  readonly cookies: NonNullable<RequestInit['credentials']>
  /** Sends a request as it is. */
  fetch(request: Request): Promise<Response>
}

export interface Sent {
  readonly body?: RequestInit['body'] | object
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal
}

/** Whether a request goes to the service, and not to an API of the application. */
export function isFor({ url }: Service, request: Request): boolean {
  return request.url.startsWith(`${url}/`)
}

/** Makes a request to a path of the service. A redirect is an answer, and not followed. */
export function requestTo(
  { cookies, url }: Service,
  method: string,
  path: string,
  { body, headers = {}, path: values = {}, query = {}, signal }: Sent = {},
): Request {
  return new Request(`${url}${filled(path, values)}${searchOf(query)}`, {
    method,
    credentials: cookies,
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(isJson(body) && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isJson(body) ? JSON.stringify(body) : body }),
    ...(signal && { signal }),
  })
}

/** @throws TypeError for a value that would lead to another path */
function filled(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name] ?? '')
    if (['', '.', '..'].includes(value)) throw new TypeError(`no value of a path: ${name}`)
    return encodeURIComponent(value)
  })
}

function searchOf(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams()
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values].flat()) if (value !== undefined) search.append(name, String(value))
  }
  return search.size > 0 ? `?${search}` : ''
}

/** Plain objects and lists; texts, forms and bytes are sent as they are. */
function isJson(body: unknown): body is object {
  if (typeof body !== 'object' || body === null) return false
  return Array.isArray(body) || Object.getPrototypeOf(body) === Object.prototype
}
