/**
 * How long a client may take to finish the TLS handshake, to send its header and its whole request,
 * and how often that is checked. The defaults of Node and Fastify close a slow connection much
 * later.
 */
export const handshakeTimeoutMs = 10_000
export const headersTimeoutMs = 10_000
export const requestTimeoutMs = 15_000
export const checkIntervalMs = 1_000
