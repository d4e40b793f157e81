# The official image of PostgreSQL with pgfit:  docker build --build-arg PG_MAJOR=17 -t postgres-pgfit .
ARG PG_MAJOR=17
FROM postgres:${PG_MAJOR}-bookworm AS build
# the image sets PG_MAJOR itself
RUN apt-get update \
    && apt-get install -y --no-install-recommends gcc libc6-dev libopenblas-serial-dev libxml2-dev make "postgresql-server-dev-$PG_MAJOR" \
    && rm -rf /var/lib/apt/lists/*
COPY . /build
RUN make -C /build -j "$(nproc)" && make -C /build install DESTDIR=/installed

FROM postgres:${PG_MAJOR}-bookworm
COPY --from=build /installed /
