#!/usr/bin/env python3
"""Measures every row of the table of figures in README.md, in one run, each against its peers in turn. `./dev bench` calls it.
usage: figures.py [--rounds N] [--secs S] [--only PATTERN] [--readme FILE] NAME=COMMAND ...
Runtimes are called node (the reference), gyre and, where they are wanted, bun and deno. --readme puts the table between
the markers of FILE. Only ratios count: the figures beside them are this machine's, now."""
import argparse, dataclasses, datetime, os, platform, re, statistics, subprocess, sys
from typing import Callable
import idle, latency
HERE = os.path.dirname(os.path.abspath(__file__))
OTHERS = ('bun', 'deno')
BEGIN, END = '<!-- figures: written by ./dev bench --readme -->', '<!-- end of figures -->'


@dataclasses.dataclass
class Row:
    work: str                   # what is done, as README says it
    unit: str
    measure: Callable           # (Run) -> {runtime: figure}
    of_node: tuple | None       # what the ratio to Node must be: ('<=' or '>=', figure)
    of_others: tuple | None = None  # the same to the better of the other runtimes


@dataclasses.dataclass
class Run:
    runtimes: dict              # name -> command
    rounds: int
    secs: int
    latencies: dict | None = None

    def pair(self):
        return {name: self.runtimes[name] for name in ('node', 'gyre') if name in self.runtimes}


def output(*command):
    done = subprocess.run([sys.executable, *map(str, command)], stdout=subprocess.PIPE, text=True)
    if done.returncode: raise SystemExit(f'{command[0]} ended with {done.returncode}')
    return done.stdout


def compare(script):
    """A script of compare.py, or its 'start-up' or 'memory'."""
    def measure(run):
        own_rounds = script in ('start-up', 'memory')
        args = ['--only', 'start' if own_rounds else script, '--rounds', run.rounds]
        pair = [f'{name}={command}' for name, command in run.pair().items()]
        found = {}
        for _ in range(run.rounds if own_rounds else 1):
            line = next(l for l in output(os.path.join(HERE, 'compare.py'), *args, *pair).split('\n') if l.startswith(script))
            for name, figure in re.findall(r'(\w+): ([\d.,]+|fails)', line):
                if figure == 'fails': raise SystemExit(f'{script} fails on {name}')
                found.setdefault(name, []).append(float(figure.replace(',', '')))
        return {name: statistics.median(figures) for name, figures in found.items()}
    return measure


def cost(script, *args, all_runtimes=False):
    """CPU a request of a server, by http_cost.py."""
    def measure(run):
        runtimes = run.runtimes if all_runtimes else run.pair()
        return costs(run, {name: f'{command} {HERE}/{script}' for name, command in runtimes.items()}, args)
    return measure


def costs(run, servers, args=()):
    out = output(os.path.join(HERE, 'http_cost.py'), '--rounds', run.rounds, '--secs', run.secs, *args,
                 *(f'{name}={command}' for name, command in servers.items()))
    return {name: float(figure) for name, figure in re.findall(r'^(\w+)\s+([\d.]+) cpu-us/req', out, re.M)}


def serve(run):
    """The module form, each runtime's own way."""
    script = f'{HERE}/serve-hello.mjs'
    ways = {'bun': f'{{}} {script}', 'deno': f'{{}} serve -A --port {{{{port}}}} {script}',
            'gyre': f'{{}} serve {script} --port {{{{port}}}} --host 127.0.0.1'}
    ways = {name: way.format(run.runtimes[name].removesuffix(' run -A')) for name, way in ways.items() if name in run.runtimes}
    return costs(run, ways)


def idle_memory(run):
    found = idle.measure({name: command.split() for name, command in run.pair().items()}, rounds=run.rounds)
    return {name: total for name, (total, _) in found.items()}


def p99(setting, load):
    def measure(run):
        if run.latencies is None:
            run.latencies = latency.measure({n: c.split() for n, c in run.pair().items()}, run.rounds, run.secs + 1)
            latency.show(run.latencies)
        of = run.latencies[setting]
        return {'node': of['node']['own']['p99'], 'gyre': of['gyre'][load]['p99']}
    return measure


ROWS = [
    Row('start-up of an empty script, time', 'ms', compare('start-up'), ('<=', .40)),
    Row('the same, peak memory', 'MiB', compare('memory'), ('<=', .75)),
    Row('`node:http` hello, CPU a request', 'us', cost('http-hello.cjs', all_runtimes=True), ('<=', .55), ('<=', .75)),
    Row('the same, 16 requests pipelined', 'us', cost('http-hello.cjs', '--pipeline', 16, all_runtimes=True), ('<=', .25)),
    Row('`gyre serve` hello, CPU a request, to `Bun.serve` and `Deno.serve`', 'us', serve, None, ('<=', .95)),
    Row('a small JSON API, CPU a request', 'us', cost('http-api.mjs', '--path', '/books?max=5', all_runtimes=True), ('<=', .60)),
    Row('answers of 64 KiB, CPU a request', 'us', cost('http-64k.cjs', all_runtimes=True), ('<=', .70)),
    Row('express 5 hello, CPU a request', 'us', cost('express-hello.cjs'), ('<=', .80)),
    Row('fastify 5 hello, CPU a request', 'us', cost('fastify-hello.cjs'), ('<=', .80)),
    Row('10,000 idle keep-alive connections, memory', 'MiB', idle_memory, ('<=', .50)),
    Row('p99 of hello at half of the saturating load, each its own', 'ms', p99('alone', 'own'), ('<=', 1)),
    Row('the same, at half of Node\'s saturating load for both', 'ms', p99('alone', 'same'), ('<=', 1)),
    Row('the same, each its own, while 20 pbkdf2 hashes run', 'ms', p99('hashes', 'own'), ('<=', 1)),
    Row('the same, Node\'s for both, while 20 pbkdf2 hashes run', 'ms', p99('hashes', 'same'), ('<=', 1)),
    Row('files of 4 KiB read whole, speed', '/s', compare('fs-read.mjs'), ('>=', 4)),
    Row('synchronous file calls, speed', '/s', compare('fs-sync.cjs'), ('>=', .9)),
    Row('timers, speed', '/s', compare('timers.mjs'), ('>=', .9)),
    Row('streams, speed', 'MiB/s', compare('streams.mjs'), ('>=', .9)),
    Row('buffers, speed', '/s', compare('buffers.cjs'), ('>=', .9)),
    Row('web globals, speed', '/s', compare('web.mjs'), ('>=', .9)),
    Row('hashes, HMACs, random bytes, speed', '/s', compare('hash.cjs'), ('>=', .9)),
    Row('TCP echo, speed', '/s', compare('tcp-echo.cjs'), ('>=', 1.3)),
    Row('loading 800 CommonJS modules, speed', '/s', compare('require-many.cjs'), ('>=', .9)),
    Row('starting workers, speed', '/s', compare('worker-start.mjs'), ('>=', .9)),
]


def ratios(row, figures):
    """[(ratio, wanted, against)] of Gyre to Node and to the better of the others, as far as they were measured."""
    better = max if (row.of_node or row.of_others)[0] == '>=' else min
    found = []
    if 'node' in figures and row.of_node: found.append((figures['gyre'] / figures['node'], row.of_node, 'node'))
    others = [figures[name] for name in OTHERS if name in figures]
    if others: found.append((figures['gyre'] / better(others), row.of_others, 'others'))
    return found


def holds(ratio, wanted):
    return wanted is None or (ratio <= wanted[1] if wanted[0] == '<=' else ratio >= wanted[1])


def show(row, figures):
    beside = '  '.join(f'{name} {figure:,.1f}' if figure >= 10 else f'{name} {figure:.3f}' for name, figure in figures.items())
    print(f'{row.work}: {beside} {row.unit}')
    for ratio, wanted, against in ratios(row, figures):
        must = '' if wanted is None else f', wanted {wanted[0]} {wanted[1]:g}: {"holds" if holds(ratio, wanted) else "FALLS SHORT"}'
        print(f'    {ratio:.2f} of {"Node" if against == "node" else "the better of the others"}{must}', flush=True)


def cell(found, against):
    for ratio, wanted, to in found:
        if to != against: continue
        return ('under 0.01' if ratio < .005 else f'{ratio:.2f}' if ratio < 3 else f'{ratio:.1f}') + ('' if wanted is None else f' ({wanted[0].replace("<=", "≤").replace(">=", "≥")} {wanted[1]:g})')
    return ''


def table(measured):
    model = next((l.split(':')[1].strip() for l in open('/proc/cpuinfo') if l.startswith('model name')), platform.machine())
    lines = ['| work | of Node.js 24.12 | of the better of Bun and Deno |', '|---|---|---|']
    for row, figures in measured:
        found = ratios(row, figures)
        lines.append(f'| {row.work} | {cell(found, "node")} | {cell(found, "others")} |')
    when = datetime.date.today().isoformat()
    lines += ['', f'Taken on {when}, {os.cpu_count()} cores of {model}, Linux {platform.release().split("-")[0]}.']
    return '\n'.join(lines)


def around_figures(path):
    old = open(path, encoding='utf8').read()
    if BEGIN not in old or END not in old: raise SystemExit(f'{path} has no markers for the figures')
    head, rest = old.split(BEGIN)
    return head, rest.split(END)[1]


def write(path, text):
    head, tail = around_figures(path)
    open(path, 'w', encoding='utf8').write(f'{head}{BEGIN}\n{text}\n{END}{tail}')


def main():
    ap = argparse.ArgumentParser(); ap.add_argument('--rounds', type=int, default=3); ap.add_argument('--secs', type=int, default=3)
    ap.add_argument('--only', default=''); ap.add_argument('--readme'); ap.add_argument('runtimes', nargs='+'); a = ap.parse_args()
    if a.readme:
        if a.only: raise SystemExit('--readme wants all rows')
        around_figures(a.readme)
    run = Run(dict(r.split('=', 1) for r in a.runtimes), a.rounds, a.secs)
    if os.getloadavg()[0] > .5: print(f'The machine is busy (load {os.getloadavg()[0]:.1f}): the figures will be off.', flush=True)
    measured = []
    for row in ROWS:
        if a.only not in row.work or (row.of_node is None and not set(OTHERS) & set(run.runtimes)): continue
        measured.append((row, row.measure(run)))
        show(*measured[-1])
    short = sum(not holds(ratio, wanted) for row, figures in measured for ratio, wanted, _ in ratios(row, figures))
    print(f'{len(measured)} rows, {short} ratios fall short')
    if a.readme: write(a.readme, table(measured))


if __name__ == '__main__': main()
