#!/usr/bin/env python3
"""Runs the tests of Node's suite that are listed beside the repository, fails on one of test/conformance/expected.txt
that no longer passes, and adds those that newly pass.
usage: conformance.py SUITE_DIR [PATTERN]"""
import json, os, subprocess, sys, tempfile
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
suite = sys.argv[1]; pattern = sys.argv[2] if len(sys.argv) > 2 else ''
shared = os.path.join(ROOT, '..', 'shared', 'conformance')
runner, listed = os.path.join(shared, 'node_suite.py'), os.path.join(shared, 'node-24.12.txt')
if not os.path.exists(runner): sys.exit('skipped: ../shared/conformance is not here')
expected_file = os.path.join(ROOT, 'test', 'conformance', 'expected.txt')
expected = [l.rstrip('\n') for l in open(expected_file)] if os.path.exists(expected_file) else []
head = [l for l in expected if l.startswith('#')]; wanted = {l for l in expected if l and not l.startswith('#')}

def run(tests):
    with tempfile.NamedTemporaryFile('w', suffix='.txt') as chosen, tempfile.NamedTemporaryFile(suffix='.json') as out:
        chosen.write('\n'.join(tests)); chosen.flush()
        subprocess.run([sys.executable, runner, '--suite', suite, '--cmd', os.path.join(ROOT, 'gyre'), '--list', chosen.name,
                        '--out', out.name], check=True)
        return json.load(open(out.name))

tests = [l.strip() for l in open(listed) if l.strip() and not l.startswith('#') and pattern in l]
result = run(tests)
good = {t for t, r in result.items() if r['ok'] and not r['skip']}
lost = sorted((wanted & set(result)) - good)
if lost:
    # once more, alone: a busy machine is no regression
    print(f'{len(lost)} that passed before did not; trying these again')
    again = run(lost)
    good |= {t for t, r in again.items() if r['ok'] and not r['skip']}
    lost = sorted((wanted & set(result)) - good)
new = good - wanted
with open(expected_file, 'w') as f:
    f.write('\n'.join(head + sorted(wanted | new)) + '\n')
for t in lost: print(f'no longer passes: {t}\n    ' + result[t]['tail'].strip().replace('\n', '\n    '))
print(f'{len(good)} of {len(tests)} pass; {len(new)} new in test/conformance/expected.txt, {len(lost)} lost')
sys.exit(1 if lost else 0)
