# All extras with the QBF solvers built in:
#   docker build -t qsage-validate . && docker run -it --rm qsage-validate qsage-play
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends build-essential cmake git \
    && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN python -m venv /opt/qsage \
    && /opt/qsage/bin/pip install --no-cache-dir --constraint /source/constraints.txt '/source[all]'

FROM python:3.12-slim
RUN useradd --create-home player
COPY --from=build /opt/qsage /opt/qsage
ENV PATH=/opt/qsage/bin:$PATH
USER player
WORKDIR /home/player
CMD ["qsage", "--help"]
