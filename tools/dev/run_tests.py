#!/usr/bin/env python3
"""Runs all tests: the include graph, the C++ units, the JavaScript tests, the programs and the cases beside the
repository where they exist. Prints what fell short, and "N passed, N failed" at the end.
usage: run_tests.py [PATTERN]   only what has PATTERN in its name"""
import concurrent.futures, os, re, subprocess, sys, time
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.chdir(ROOT)
pattern = sys.argv[1] if len(sys.argv) > 1 else ''
SHARED = os.path.join(ROOT, '..', 'shared')
passed = failed = 0
started = time.time()

def say(text):
    print(text, flush=True)

def count(name, good, bad, detail=''):
    global passed, failed
    passed += good; failed += bad
    say(f"{'FAILED' if bad else 'ok'}  {name}: {good} passed, {bad} failed  [{time.time() - started:.0f} s]")
    if bad and detail: say('    ' + detail.strip().replace('\n', '\n    '))

def run(command, timeout, env=None):
    try:
        p = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           errors='replace', timeout=timeout, env=dict(os.environ, **(env or {})))
        return p.returncode, p.stdout
    except subprocess.TimeoutExpired as e:
        return 'timeout', (e.stdout or b'').decode(errors='replace') if isinstance(e.stdout, bytes) else (e.stdout or '')

def gtest():
    binary = 'build/release/gyre_tests'
    code, out = run([binary, '--gtest_brief=1'], 600)
    m = re.search(r'\[  PASSED  \] (\d+) test', out); good = int(m[1]) if m else 0
    m = re.search(r'\[  FAILED  \] (\d+) test', out); bad = int(m[1]) if m else 0
    if code != 0 and bad == 0: bad = 1
    count('C++ units', good, bad, out[-4000:])

def script(job):
    path, loop = job
    # What abuses the network runs on both backends, and has the time that it takes on a busy machine.
    code, out = run(['./gyre', path], 60 if loop is None else 200, {'GYRE_LOOP': loop} if loop else None)
    good = len(re.findall(r'^ok\b', out, re.M)); bad = len(re.findall(r'^not ok\b', out, re.M))
    if good + bad == 0: good, bad = (1, 0) if code == 0 else (0, 1)
    elif code != 0 and bad == 0: bad = 1
    return job, good, bad, f'exit {code}\n{out[-2500:]}'

def packages():
    """The npm packages that tests run, from their lockfile."""
    folder = 'test/packages'; lock = f'{folder}/package-lock.json'; stamp = f'{folder}/node_modules/.lock'
    if os.path.exists(stamp) and open(stamp).read() == open(lock).read(): return
    subprocess.run(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], cwd=folder, check=True)
    open(stamp, 'w').write(open(lock).read())

def scripts():
    packages()
    files = []
    for top in ('src', 'test'):
        for folder, _, names in os.walk(top):
            if '/fixtures' in folder or 'node_modules' in folder: continue
            files += [os.path.join(folder, n) for n in names if n.endswith(('.test.mjs', '.test.cjs'))]
    files = sorted(f for f in files if pattern in f)
    jobs = [(f, loop) for f in files for loop in (('epoll', 'uring') if f.startswith('test/faults/') else (None,))]
    total = [0, 0]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for job, good, bad, detail in pool.map(script, jobs):
            name = job[0] if job[1] is None else f'{job[0]} (GYRE_LOOP={job[1]})'
            if bad:
                say(f'    {name} fell short, trying it again:\n    ' + detail.strip().replace('\n', '\n    '))
                job, good, bad, detail = script(job)
            total[0] += good; total[1] += bad
            if bad: say(f'FAILED  {name}')
    count(f'JavaScript tests ({len(files)} files)', *total)

def programs():
    check = os.path.join(SHARED, 'programs', 'check.py')
    if not os.path.exists(check): return say('skipped  programs: ../shared/programs is not here')
    for loop in ('epoll', 'uring'):
        env = {'GYRE_LOOP': loop}
        code, out = run([sys.executable, check, './gyre'], 900, env)
        good = len(re.findall(r'^ok ', out, re.M)); falls = re.findall(r'^FALLS (.*?):', out, re.M)
        if good + len(falls) == 0: falls = ['the checker itself']
        # They compare durations with each other, which a busy machine bends: what fell short is tried again, alone.
        for name in list(falls):
            for _ in range(2):
                again, detail = run([sys.executable, check, './gyre', '--only', name], 300, env)
                out += detail
                if again == 0:
                    falls.remove(name); good += 1
                    say(f'    {name}: passed when tried again')
                    break
        count(f'programs, GYRE_LOOP={loop}', good, len(falls), out)

def cases():
    runner = os.path.join(SHARED, 'cases', 'run.py')
    listed = 'test/cases/expected.txt'
    if not os.path.exists(runner): return say('skipped  cases: ../shared/cases is not here')
    wanted = [l.strip() for l in open(listed) if l.strip() and not l.startswith('#')]
    out = run([sys.executable, runner, './gyre'], 1200)[1]
    if 'passed' not in out: return count('cases that passed before', 0, len(wanted), out)
    differ = set(re.findall(r'^(\S+\.[cm]js): line', out, re.M))
    bad = [w for w in wanted if w in differ and run([sys.executable, runner, './gyre', w], 60)[0] != 0]
    lines = [l for l in out.split('\n') if l.split(':')[0] in bad]
    count('cases that passed before', len(wanted) - len(bad), len(bad), '\n'.join(lines))

def architecture():
    code, out = run([sys.executable, 'test/architecture/includes.py'], 60)
    count('include graph', int(code == 0), int(code != 0), out)

parts = [('architecture', architecture), ('C++', gtest), ('JavaScript', scripts), ('programs', programs), ('cases', cases)]
for name, part in parts:
    if not pattern or pattern in name or name == 'JavaScript': part()
say(f'{passed} passed, {failed} failed')
sys.exit(1 if failed or not passed else 0)
