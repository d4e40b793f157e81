# The official image of PostgreSQL with pgfit:  docker build --build-arg PG_MAJOR=17 -t postgres-pgfit .
ARG PG_MAJOR=17
FROM postgres:${PG_MAJOR}-bookworm AS build
# the image sets PG_MAJOR and PG_VERSION itself; headers newer than its server would give a library that it cannot load
RUN apt-get update \
    && apt-get install -y --no-install-recommends gcc libc6-dev libopenblas-serial-dev libxml2-dev make "postgresql-server-dev-$PG_MAJOR=$PG_VERSION" \
    && rm -rf /var/lib/apt/lists/*
COPY . /build
RUN make -C /build -j "$(nproc)" && make -C /build install DESTDIR=/installed

FROM postgres:${PG_MAJOR}-bookworm
COPY --from=build /installed /
