/**
 * Limit for TLS handshake, header and whole request, and the check interval. The defaults of Node
 * and Fastify are much longer.
 */
export const handshakeTimeoutMs = 10_000
export const headersTimeoutMs = 10_000
export const requestTimeoutMs = 15_000
export const checkIntervalMs = 1_000
