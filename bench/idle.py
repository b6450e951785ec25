#!/usr/bin/env python3
"""Memory of a server with many idle keep-alive connections, each of which has had one answer: resident MiB in all, and
KiB that one connection adds. usage: idle.py [--conns N] [--rounds N] NAME=COMMAND ..."""
import argparse, os, re, resource, shlex, socket, statistics, subprocess, time
HERE = os.path.dirname(os.path.abspath(__file__))
REQUEST = b'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
SPARE = 200  # descriptors for everything else


def resident(pid):
    return int(re.search(r'VmRSS:\s+(\d+)', open(f'/proc/{pid}/status').read())[1])


def ask(connection):
    connection.sendall(REQUEST)
    answer = b''
    while b'hello world' not in answer:
        piece = connection.recv(65536)
        if not piece: raise SystemExit('a connection was closed')
        answer += piece


def connect(port):
    for _ in range(200):
        try: return socket.create_connection(('127.0.0.1', port), 30)
        except ConnectionRefusedError: time.sleep(.05)
    raise SystemExit('the server does not listen')


def once(command, conns, port):
    server = subprocess.Popen([*command, os.path.join(HERE, 'http-idle.cjs')], env=dict(os.environ, PORT=str(port)))
    connections = [connect(port)]
    try:
        ask(connections[0])
        before = resident(server.pid)
        for _ in range(conns - 1):
            connections.append(connect(port))
            ask(connections[-1])
        time.sleep(2)
        after = resident(server.pid)
        ask(connections[0]); ask(connections[-1])  # all are still served
        return after / 1024, (after - before) / conns
    finally:
        server.kill(); server.wait()
        for connection in connections: connection.close()


def measure(runtimes, conns=10000, rounds=3):
    """{runtime: (MiB in all, KiB a connection)}, medians."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < conns + SPARE: raise SystemExit(f'{conns} connections want `ulimit -n {conns + SPARE}`')
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, conns + SPARE), hard))
    port = 13000 + os.getpid() % 20000
    found = {name: [] for name in runtimes}
    for _ in range(rounds):
        for name, command in runtimes.items():
            port += 1
            found[name].append(once(command, conns, port))
    return {name: tuple(statistics.median(values) for values in zip(*all)) for name, all in found.items()}


if __name__ == '__main__':
    ap = argparse.ArgumentParser(); ap.add_argument('--conns', type=int, default=10000); ap.add_argument('--rounds', type=int, default=3)
    ap.add_argument('runtimes', nargs='+'); a = ap.parse_args()
    results = measure({n: shlex.split(c) for n, c in (r.split('=', 1) for r in a.runtimes)}, a.conns, a.rounds)
    base = next(iter(results.values()))[0]
    for name, (total, each) in results.items():
        print(f'{name:8} {total:7.1f} MiB with {a.conns:,} idle connections, {each:5.2f} KiB each  ratio {total / base:.2f}')
