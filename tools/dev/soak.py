#!/usr/bin/env python3
"""Keeps a server at 70 % of its saturation and watches it: memory must be flat, descriptors must come back, no request may
fail. usage: soak.py [SECONDS] [SCRIPT]"""
import os, re, signal, statistics, subprocess, sys, tempfile, time
DELAY_MS = 10
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.chdir(ROOT)
seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 1200
script = sys.argv[2] if len(sys.argv) > 2 else 'bench/http-api.mjs'
port = 20000 + os.getpid() % 20000
server = subprocess.Popen(['./gyre', script], env=dict(os.environ, PORT=str(port)))

def rss(): return int(re.search(r'VmRSS:\s+(\d+)', open(f'/proc/{server.pid}/status').read())[1]) / 1024
def descriptors(): return len(os.listdir(f'/proc/{server.pid}/fd'))

try:
    time.sleep(1)
    before = descriptors()
    url = f'http://127.0.0.1:{port}/books?max=5'
    out = subprocess.run(['wrk', '-t1', '-c64', '-d5', url], capture_output=True, text=True, check=True).stdout
    limit = float(re.search(r'Requests/sec:\s+([\d.]+)', out)[1])
    rate = limit * 0.7
    # wrk waits DELAY between an answer and the next request of a connection, so that many connections make a steady rate
    connections = max(8, round(rate * DELAY_MS / 1000))
    script_file = tempfile.NamedTemporaryFile('w', suffix='.lua')
    script_file.write(f'function delay() return {DELAY_MS} end\n'); script_file.flush()
    print(f'saturation {limit:.0f} requests a second; {rate:.0f} for {seconds} s', flush=True)
    load = subprocess.Popen(['wrk', '-t1', f'-c{connections}', f'-d{seconds}', '-s', script_file.name, url],
                            stdout=subprocess.PIPE, text=True)
    samples = []; start = time.time()
    while load.poll() is None:
        time.sleep(min(10, max(1, seconds / 60)))
        if server.poll() is not None: sys.exit(f'the server ended with {server.returncode}')
        samples.append(rss())
        print(f'{time.time() - start:6.0f} s  {samples[-1]:7.1f} MiB  {descriptors():4} descriptors', flush=True)
    report = load.stdout.read()
    print(report.strip())
    time.sleep(8)  # idle connections are closed after 6 s
    after = descriptors()
    third = max(1, len(samples) // 3)
    early, late = statistics.median(samples[third:2 * third] or samples), statistics.median(samples[-third:])
    faults = []
    if load.returncode or 'Socket errors' in report or 'Non-2xx' in report: faults.append('requests failed')
    if late > early * 1.05 + 2: faults.append(f'memory grew from {early:.1f} to {late:.1f} MiB')
    if after > before: faults.append(f'{before} descriptors before, {after} after')
    print('; '.join(faults) or f'memory {early:.1f} -> {late:.1f} MiB, descriptors {before} -> {after}, no request failed')
    sys.exit(1 if faults else 0)
finally:
    server.send_signal(signal.SIGKILL)
