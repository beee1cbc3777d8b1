# The same Node as tools/runtime: what was tested is what runs.
FROM node:26.10.0-trixie-slim AS build
RUN command -v strip || { apt-get update && apt-get install --yes --no-install-recommends binutils; }
WORKDIR /app
COPY package.json package-lock.json ./
COPY tools tools
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY src src
COPY web web
RUN npm run bundle
RUN node tools/image.ts /image

# Node, its libraries and the code: no shell, no package manager.
FROM scratch
LABEL org.opencontainers.image.title=gatehouse org.opencontainers.image.licenses=MIT
# Root owns the code and the user of the process the data alone. Nothing else is ever written.
COPY --from=build /image/root /
COPY --from=build --chown=1000:1000 /image/volume /
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data MALLOC_ARENA_MAX=2 PATH=/usr/local/bin:/usr/bin
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "const { PORT: port, TLS_CERT_FILE } = process.env; require(TLS_CERT_FILE ? 'node:https' : 'node:http').get({ port, host: '127.0.0.1', path: '/health/ready', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# Options as in `npm start`.
ENTRYPOINT ["node", "--max-semi-space-size=4", "--heap-growing-percent=50", "--v8-pool-size=1", "--no-maglev"]
CMD ["dist/main.js"]
