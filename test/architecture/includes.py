#!/usr/bin/env python3
"""Walks the includes of src/ and fails on an arrow between layers that the architecture does not allow, and on cycles
between the rooms of src/modules, src/web and src/insight."""
import os, re, sys
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'src')
ALLOWED = {
    'base': set(),
    'sys': {'base'},
    'loop': {'base', 'sys'},
    'codec': {'base'},
    'http': {'base', 'sys', 'loop', 'codec'},
    'engine': {'base'},
    'bridge': {'base', 'sys', 'loop', 'engine'},
    'modules': {'base', 'sys', 'loop', 'codec', 'http', 'engine', 'bridge', 'web'},
    'web': {'base', 'sys', 'loop', 'codec', 'http', 'engine', 'bridge', 'modules'},
    'insight': {'base', 'sys', 'loop', 'engine', 'bridge'},
    'runtime': {'base', 'sys', 'loop', 'codec', 'http', 'engine', 'bridge', 'modules', 'web', 'insight'},
    'cli': {'base', 'runtime'},
}
V8_FREE = {'base', 'sys', 'loop', 'codec', 'http'}
faults = []
graph = {}

def room(path):
    parts = path.split('/')
    return '/'.join(parts[:2]) if parts[0] == 'modules' and len(parts) > 2 else parts[0]

for folder, _, names in os.walk(ROOT):
    for name in names:
        if not name.endswith(('.h', '.cc')): continue
        full = os.path.join(folder, name)
        path = os.path.relpath(full, ROOT)
        layer = path.split('/')[0]
        text = open(full, encoding='utf8').read()
        if layer in V8_FREE and re.search(r'#include [<"](v8|libplatform/|cppgc/|engine/)', text):
            faults.append(f'{path}: {layer} builds without V8')
        for target in re.findall(r'^#include "([^"]+)"', text, re.M):
            to = target.split('/')[0]
            if to not in ALLOWED:
                if '/' in target: faults.append(f'{path}: includes {target}, which is no layer')
                continue
            if to != layer and to not in ALLOWED[layer]:
                faults.append(f'{path}: {layer} may not include {target}')
            if room(target) != room(path): graph.setdefault(room(path), set()).add(room(target))

state = {}
def walk(node, trail):
    if state.get(node) == 'done': return
    if node in trail:
        faults.append('cycle: ' + ' -> '.join(trail[trail.index(node):] + [node]))
        return
    for nxt in sorted(graph.get(node, ())): walk(nxt, trail + [node])
    state[node] = 'done'
for node in sorted(graph): walk(node, [])
print('\n'.join(faults) or f'{len(graph)} rooms, no arrow that should not be')
sys.exit(1 if faults else 0)
