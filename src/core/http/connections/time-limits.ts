/**
 * For TLS handshake, header and whole request; also the check interval. Node's and Fastify's
 * defaults are much longer.
 */
export const handshakeTimeoutMs = 10_000
export const headersTimeoutMs = 10_000
export const requestTimeoutMs = 15_000
export const checkIntervalMs = 1_000
