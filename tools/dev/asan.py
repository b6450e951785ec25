#!/usr/bin/env python3
"""Runs the C++ units, the JavaScript tests and, where they are, the programs and cases beside the repository on the build with
ASan and UBSan. A report of any process is a fault, whatever became of its output; so is a test that falls short.
usage: asan.py [PATTERN]   only tests with PATTERN in their name"""
import concurrent.futures, glob, os, re, shutil, subprocess, sys
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.chdir(ROOT)
pattern = sys.argv[1] if len(sys.argv) > 1 else ''
GYRE = os.path.join(ROOT, 'build/asan/gyre-dev')
REPORTS = os.path.join(ROOT, 'build/asan/reports')
SHARED = os.path.join(ROOT, '..', 'shared')
# Containers of the V8 library are not annotated; V8 and OpenSSL keep what they reach at exit, which is no leak.
COMMON = f'log_path={REPORTS}/report'
ENV = dict(os.environ, ASAN_OPTIONS=f'detect_container_overflow=0:detect_leaks=0:allocator_may_return_null=1:{COMMON}',
           UBSAN_OPTIONS=f'print_stacktrace=1:{COMMON}')
# Their subject is time or memory, which the sanitizers change.
UNFIT = ('memory', 'timing', 'idle_connections', 'startup', 'http_crowds', 'http_resets')
failed = passed = 0

def run(command, timeout):
    try:
        p = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           errors='replace', timeout=timeout, env=ENV)
        return p.returncode, p.stdout
    except subprocess.TimeoutExpired as e:
        return 'timeout', (e.stdout or b'').decode(errors='replace')

def count(name, good, detail=''):
    global failed, passed
    passed += good; failed += not good
    if not good: print(f'FAILED  {name}\n    ' + detail[-3000:].replace('\n', '\n    '), flush=True)

def scripts():
    files = []
    for top in ('src', 'test'):
        for folder, _, names in os.walk(top):
            if '/fixtures' in folder or 'node_modules' in folder: continue
            files += [os.path.join(folder, n) for n in names if n.endswith(('.test.mjs', '.test.cjs'))]
    return sorted(f for f in files if pattern in f and not any(u in f for u in UNFIT))

def script(path):
    code, out = run([GYRE, path], 240)
    if code != 0: code, out = run([GYRE, path], 240)  # slow as it is, a time-out inside may have struck
    return path, code == 0, f'exit {code}\n{out}'

shutil.rmtree(REPORTS, ignore_errors=True); os.makedirs(REPORTS)
if not pattern and os.path.exists('build/asan/gyre_tests'):
    code, out = run(['build/asan/gyre_tests', '--gtest_brief=1'], 1200)
    count('C++ units', code == 0, out)
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for path, good, detail in pool.map(script, scripts()): count(path, good, detail)
# Of these only the reports count: they compare durations, or differ from Node.js elsewhere.
for name, command in (('programs', ['programs/check.py', GYRE]), ('cases', ['cases/run.py', GYRE])):
    tool = os.path.join(SHARED, command[0])
    if not pattern and os.path.exists(tool):
        code, out = run([sys.executable, tool, command[1]], 1800)
        print(f'{name}: {out.strip().splitlines()[-1] if out.strip() else code}', flush=True)
# An allocation that fails is told in a file of its own, and is no fault.
reports = [r for r in sorted(glob.glob(REPORTS + '/*')) if re.search('ERROR: |runtime error', open(r, errors='replace').read())]
for report in reports: print(f'REPORT  {report}\n    ' + open(report, errors='replace').read()[:3000].replace('\n', '\n    '))
print(f'{passed} passed, {failed} failed, {len(reports)} reports')
sys.exit(1 if failed or reports or not passed else 0)
