#!/usr/bin/env python3
"""Peers for victim.mjs: more of them, and ruder ones, than a JavaScript client makes in time.
usage: rude_peers.py PORT idle N | reset N | silent N PATH | accept N
Prints one line when it is in position, and leaves when its standard input ends."""
import resource, socket, struct, sys

port, what, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
GET = b'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
NOW = struct.pack('ii', 1, 0)  # a close with this linger is a reset


def raise_limit(wanted):
    """As many descriptors as this machine gives."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for limit in (max(wanted, hard), hard):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, limit), limit))
            break
        except (ValueError, OSError):
            pass
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def connect(i):
    s = socket.socket()
    s.settimeout(20)
    # 20,000 ports an address.
    s.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
    s.bind((f'127.0.0.{2 + i // 20000}', 0))
    s.connect(('127.0.0.1', port))
    return s


def answered(s):
    if not s.recv(4096).startswith(b'HTTP/1.1 200 OK'): sys.exit('an answer went wrong')


def connect_paced(i):
    """Never more waiting to be accepted than the listener has room for: the system would drop them, and try again a
    second later."""
    s = connect(i)
    if i % 500 == 499:
        s.sendall(GET)
        answered(s)
    return s


def idle():
    room = raise_limit(count + 64) - 32
    sockets = [connect_paced(i) for i in range(min(count, room))]
    for s in sockets[::2]: s.sendall(GET)  # half of them wait between requests
    for s in sockets[::2]: answered(s)
    print(len(sockets), flush=True)
    sys.stdin.read()


def reset():
    begun = [b'', GET, b'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc', b'GET / HT']
    for i in range(count):
        s = connect_paced(i % 60000)
        if begun[i % 4]: s.sendall(begun[i % 4])
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NOW)
        s.close()
    print(count, flush=True)


def silent():
    sockets = [connect(i) for i in range(count)]
    for s in sockets:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.sendall(f'GET {sys.argv[4]} HTTP/1.1\r\nHost: a\r\n\r\n'.encode())
    print(len(sockets), flush=True)
    sys.stdin.read()


def accept():
    """Connections to a server that has no descriptors left: how many are closed at once, how many kept."""
    sockets = [connect(i) for i in range(count)]
    kept = []
    closed = 0
    for s in sockets:
        s.settimeout(0.01)
        try:
            if s.recv(1) == b'': closed += 1
        except socket.timeout: kept.append(s)
        except OSError: closed += 1
    print(len(kept), closed, flush=True)
    sys.stdin.read()


{'idle': idle, 'reset': reset, 'silent': silent, 'accept': accept}[what]()
