import { Refusal } from './refusal.ts'
import type * as Types from './types.ts'

/** Guards of routes: they answer refusals themselves, and remember the caller of a request. */
export function guardsOf(authenticate: Types.Authenticate) {
  const callers = new WeakMap<object, Types.Claims>()
  /** Answers the refusal of a request, if the request is refused. */
  async function refuse(to: object, authorization: string | null | undefined, needs: Types.Needs) {
    try {
      callers.set(to, await authenticate(authorization, needs))
    } catch (error) {
      if (error instanceof Refusal) return error
      throw error
    }
  }

  return {
    /** For route handlers of Next, and all that answer a Request by a Response. */
    handler<Rest extends unknown[]>(
      needs: Types.Needs,
      handle: Types.Handler<Rest>,
    ): Types.Handler<Rest> {
      return async (request, ...rest) => {
        const refusal = await refuse(request, request.headers.get('authorization'), needs)
        return refusal ? new Response(refusal.text, refusal) : handle(request, ...rest)
      }
    },
    hono(needs: Types.Needs = {}) {
      return async (context: Types.HonoContext, next: () => Promise<void>) => {
        const refusal = await refuse(context, context.req.header('authorization'), needs)
        return refusal ? new Response(refusal.text, refusal) : next()
      }
    },
    /** For Express, Connect and `node:http`. */
    express(needs: Types.Needs = {}) {
      return async (
        request: Types.NodeRequest,
        response: Types.NodeResponse,
        next: () => unknown,
      ) => {
        const refusal = await refuse(request, request.headers.authorization, needs)
        if (!refusal) await next()
        else response.writeHead(refusal.status, refusal.headers).end(refusal.text)
      }
    },
    /** A hook `onRequest`. */
    fastify(needs: Types.Needs = {}) {
      return async (request: Types.NodeRequest, reply: Types.FastifyReply) => {
        const refusal = await refuse(request, request.headers.authorization, needs)
        return refusal && reply.code(refusal.status).headers(refusal.headers).send(refusal.text)
      }
    },
    /** The caller of a request that a guard admitted. @throws Error without a guard */
    callerOf(request: object): Types.Claims {
      const caller = callers.get(request)
      if (!caller) throw new Error('no guard admitted this request')
      return caller
    },
  }
}
