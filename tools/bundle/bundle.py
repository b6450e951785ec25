"""Bundles each library of libraries.json with esbuild into OUTDIR/NAME.js; the packages must be in node_modules.

Usage: bundle.py OUTDIR (run from the repository's root; bundle.sh does)

A library is {name, entry} and, where needed, `alias` (package -> other specifier), `external` (stays a `require`),
`banner` (text to begin with), and `replace` (text of the bundle -> other text; each must occur, so that an update of
the library cannot lose it silently).
"""

import glob
import json
import os
import subprocess
import sys

COMMON = [
    '--bundle', '--platform=node', '--format=cjs', '--target=es2024', '--charset=utf8', '--keep-names',
    '--legal-comments=inline', '--log-level=warning', '--external:#*',
]


def bundle(esbuild, library):
    """Returns the text of one bundled library."""
    words = [esbuild, os.path.join('node_modules', library['entry']), *COMMON]
    words += [f'--alias:{name}={target}' for name, target in library.get('alias', {}).items()]
    words += [f'--external:{name}' for name in library.get('external', [])]
    if 'banner' in library:
        words.append(f'--banner:js={library["banner"]}')
    text = subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout.decode()
    for old, new in library.get('replace', {}).items():
        if old not in text:
            sys.exit(f'bundle of {library["name"]}: nothing to replace: {old}')
        text = text.replace(old, new)
    return text


def write_if_changed(path, text):
    """Writes text to path unless it is there already, so that the build does not redo what depends on it."""
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            if file.read() == text:
                return
    with open(path + '.tmp', 'w', encoding='utf-8') as file:
        file.write(text)
    os.replace(path + '.tmp', path)


def main():
    """Entry point."""
    out = sys.argv[1]
    esbuild = glob.glob('node_modules/@esbuild/*/bin/esbuild')[0]
    with open('tools/bundle/libraries.json', encoding='utf-8') as file:
        libraries = json.load(file)['libraries']
    for library in libraries:
        write_if_changed(os.path.join(out, library['name'] + '.js'), bundle(esbuild, library))


if __name__ == '__main__':
    main()
