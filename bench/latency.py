#!/usr/bin/env python3
"""Latencies of http-hashes.cjs at half of the saturating load, alone and while hashes run in the same process. The server
has one core, the load (`steady`: constant rate, latencies from when a request was due) the other. Runtimes take turns.
usage: latency.py [--rounds N] [--secs S] [--hashes H] [--steady PROGRAM] NAME=COMMAND ...   the first is the reference
Each runtime is measured at half of its own saturation and at half of the reference's: the same requests for all."""
import argparse, json, os, shlex, socket, statistics, subprocess, time, urllib.request
HERE = os.path.dirname(os.path.abspath(__file__))
SERVER = os.path.join(HERE, 'http-hashes.cjs')
STEADY = os.path.join(HERE, '..', 'build', 'release', 'steady')
SETTINGS = ('alone', 'hashes')


class Server:
    """The server on the first core, ready when it answers."""
    port = 12000 + os.getpid() % 20000

    def __init__(self, command, hashes):
        Server.port += 1
        self.process = subprocess.Popen(['taskset', '-c', '0', *command, SERVER], stdout=subprocess.DEVNULL,
                                        env=dict(os.environ, PORT=str(self.port), HASHES=str(hashes)))

    def __enter__(self):
        for _ in range(200):
            try: socket.create_connection(('127.0.0.1', self.port), 1).close(); return self
            except OSError: time.sleep(.05)
        raise SystemExit(f'{self.process.args}: does not listen')

    def __exit__(self, *_):
        self.process.kill(); self.process.wait()

    def hashes(self):
        return int(urllib.request.urlopen(f'http://127.0.0.1:{self.port}/hashes', timeout=60).read())

    def load(self, steady, rate, secs):
        out = subprocess.run(['taskset', '-c', '1', steady, '--port', str(self.port), '--rate', str(rate), '--secs', str(secs)],
                             capture_output=True, text=True)
        if out.returncode: raise SystemExit(f'{self.process.args}: {out.stderr}')
        return json.loads(out.stdout)


def saturation(runtimes, rounds, steady):
    """Requests a second that each runtime answers when the next one is sent at once."""
    found = {name: [] for name in runtimes}
    for _ in range(rounds):
        for name, command in runtimes.items():
            with Server(command, 0) as server: found[name].append(server.load(steady, 0, 2)['answers_per_second'])
    return {name: statistics.median(rates) for name, rates in found.items()}


def measure(runtimes, rounds=3, secs=4, hashes=20, steady=STEADY):
    """{setting: {runtime: {'same' | 'own': figures}}}, medians; `same` is half of the first runtime's saturation."""
    limits = saturation(runtimes, rounds, steady)
    reference = next(iter(limits.values()))
    runs = {}
    for _ in range(rounds):
        for setting in SETTINGS:
            for name, command in runtimes.items():
                for load in ('same', 'own'):
                    rate = (reference if load == 'same' else limits[name]) / 2
                    with Server(command, hashes if setting == 'hashes' else 0) as server:
                        done, began = server.hashes(), time.monotonic()
                        figures = server.load(steady, rate, secs)
                        figures['hashes'] = (server.hashes() - done) / (time.monotonic() - began)
                    runs.setdefault((setting, name, load), []).append(figures)
    median = {key: {field: statistics.median(one[field] for one in many) for field in many[0]} for key, many in runs.items()}
    return {s: {n: {l: median[s, n, l] for l in ('same', 'own')} for n in runtimes} for s in SETTINGS}


def show(results):
    for setting, of in results.items():
        base = next(iter(of.values()))['own']['p99']
        for name, loads in of.items():
            for load, f in loads.items():
                beside = f"  {f['hashes']:5.2f} hashes/s" if setting == 'hashes' else ''
                print(f"{setting:7} {name:8} {f['rate']:8.0f} req/s ({load} half)  p50 {f['p50']:8.3f}  p90 {f['p90']:8.3f}"
                      f"  p99 {f['p99']:8.3f}  max {f['max']:8.2f} ms  unanswered {f['unanswered']:.0f}"
                      f"  p99 ratio {f['p99'] / base:.2f}{beside}", flush=True)


if __name__ == '__main__':
    ap = argparse.ArgumentParser(); ap.add_argument('--rounds', type=int, default=3); ap.add_argument('--secs', type=float, default=4)
    ap.add_argument('--hashes', type=int, default=20); ap.add_argument('--steady', default=STEADY); ap.add_argument('runtimes', nargs='+')
    a = ap.parse_args()
    pairs = [r.split('=', 1) for r in a.runtimes]
    show(measure({name: shlex.split(command) for name, command in pairs}, a.rounds, a.secs, a.hashes, a.steady))
