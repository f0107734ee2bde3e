# The daemon without root, on a slim base. Settings and data are volumes; SIGTERM drains within ten seconds.
FROM python:3.11-slim AS build
WORKDIR /build
COPY requirements.lock pyproject.toml README.md LICENSE ./
RUN python -m venv /opt/butler && /opt/butler/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY butler butler
COPY modules modules
COPY approvals approvals
COPY config config
COPY scripts/extras.py scripts/extras.py
RUN /opt/butler/bin/pip install --no-cache-dir --no-deps .

FROM python:3.11-slim
RUN useradd --system --uid 10001 --home-dir /var/lib/butler --create-home butler && chmod 700 /var/lib/butler
COPY --from=build /opt/butler /opt/butler
ENV PATH=/opt/butler/bin:$PATH PYTHONSAFEPATH=1 PYTHONUNBUFFERED=1 BUTLER_CONFIG=/etc/butler/butler.toml
USER butler
WORKDIR /var/lib/butler
VOLUME ["/var/lib/butler", "/etc/butler"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=60s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8024/healthz', timeout=4)"]
ENTRYPOINT ["butler"]
CMD ["run"]
