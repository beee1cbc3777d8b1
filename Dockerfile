# The same Node as tools/runtime: what was tested is what runs.
FROM node:26.10.0-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY tools tools
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY src src
COPY web web
RUN npm run bundle
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:26.10.0-trixie-slim
LABEL org.opencontainers.image.title=gatehouse org.opencontainers.image.licenses=MIT
# The command line: docker exec <container> gatehouse help
RUN printf '#!/bin/sh\nexec node /app/dist/cli/main.js "$@"\n' > /usr/local/bin/gatehouse && chmod 0755 /usr/local/bin/gatehouse
# Root owns the code and the user of the process the data alone. Nothing else is ever written.
RUN install --directory --owner=1000 --group=1000 --mode=0700 /data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/web/dist web/dist
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data MALLOC_ARENA_MAX=2
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "const { PORT: port, TLS_CERT_FILE } = process.env; require(TLS_CERT_FILE ? 'node:https' : 'node:http').get({ port, host: '127.0.0.1', path: '/health/ready', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# Options as in `npm start`.
ENTRYPOINT ["node", "--max-semi-space-size=4", "--heap-growing-percent=50", "--v8-pool-size=1", "--no-maglev"]
CMD ["dist/main.js"]
