'use strict';
// Numbers of WASI preview 1.

const names = ['SUCCESS', '2BIG', 'ACCES', 'ADDRINUSE', 'ADDRNOTAVAIL', 'AFNOSUPPORT', 'AGAIN', 'ALREADY', 'BADF',
  'BADMSG', 'BUSY', 'CANCELED', 'CHILD', 'CONNABORTED', 'CONNREFUSED', 'CONNRESET', 'DEADLK', 'DESTADDRREQ', 'DOM',
  'DQUOT', 'EXIST', 'FAULT', 'FBIG', 'HOSTUNREACH', 'IDRM', 'ILSEQ', 'INPROGRESS', 'INTR', 'INVAL', 'IO', 'ISCONN',
  'ISDIR', 'LOOP', 'MFILE', 'MLINK', 'MSGSIZE', 'MULTIHOP', 'NAMETOOLONG', 'NETDOWN', 'NETRESET', 'NETUNREACH',
  'NFILE', 'NOBUFS', 'NODEV', 'NOENT', 'NOEXEC', 'NOLCK', 'NOLINK', 'NOMEM', 'NOMSG', 'NOPROTOOPT', 'NOSPC', 'NOSYS',
  'NOTCONN', 'NOTDIR', 'NOTEMPTY', 'NOTRECOVERABLE', 'NOTSOCK', 'NOTSUP', 'NOTTY', 'NXIO', 'OVERFLOW', 'OWNERDEAD',
  'PERM', 'PIPE', 'PROTO', 'PROTONOSUPPORT', 'PROTOTYPE', 'RANGE', 'ROFS', 'SPIPE', 'SRCH', 'STALE', 'TIMEDOUT',
  'TXTBSY', 'XDEV', 'NOTCAPABLE'];

/** errno.NOENT is 44. */
const errno = { __proto__: null };
names.forEach((name, number) => { errno[name] = number; });

const filetype = { __proto__: null, UNKNOWN: 0, BLOCK: 1, CHARACTER: 2, DIRECTORY: 3, REGULAR: 4, STREAM: 6, LINK: 7 };

const right = { __proto__: null };
['FD_DATASYNC', 'FD_READ', 'FD_SEEK', 'FD_FDSTAT_SET_FLAGS', 'FD_SYNC', 'FD_TELL', 'FD_WRITE', 'FD_ADVISE',
  'FD_ALLOCATE', 'PATH_CREATE_DIRECTORY', 'PATH_CREATE_FILE', 'PATH_LINK_SOURCE', 'PATH_LINK_TARGET', 'PATH_OPEN',
  'FD_READDIR', 'PATH_READLINK', 'PATH_RENAME_SOURCE', 'PATH_RENAME_TARGET', 'PATH_FILESTAT_GET',
  'PATH_FILESTAT_SET_SIZE', 'PATH_FILESTAT_SET_TIMES', 'FD_FILESTAT_GET', 'FD_FILESTAT_SET_SIZE',
  'FD_FILESTAT_SET_TIMES', 'PATH_SYMLINK', 'PATH_REMOVE_DIRECTORY', 'PATH_UNLINK_FILE', 'POLL_FD_READWRITE',
  'SOCK_SHUTDOWN', 'SOCK_ACCEPT'].forEach((name, bit) => { right[name] = 1n << BigInt(bit); });

const ofTheFile = right.FD_DATASYNC | right.FD_READ | right.FD_SEEK | right.FD_FDSTAT_SET_FLAGS | right.FD_SYNC |
  right.FD_TELL | right.FD_WRITE | right.FD_ADVISE | right.FD_ALLOCATE | right.FD_FILESTAT_GET |
  right.FD_FILESTAT_SET_SIZE | right.FD_FILESTAT_SET_TIMES | right.POLL_FD_READWRITE;
const ofTheDirectory = right.FD_FDSTAT_SET_FLAGS | right.FD_SYNC | right.FD_ADVISE | right.PATH_CREATE_DIRECTORY |
  right.PATH_CREATE_FILE | right.PATH_LINK_SOURCE | right.PATH_LINK_TARGET | right.PATH_OPEN | right.FD_READDIR |
  right.PATH_READLINK | right.PATH_RENAME_SOURCE | right.PATH_RENAME_TARGET | right.PATH_FILESTAT_GET |
  right.PATH_FILESTAT_SET_SIZE | right.PATH_FILESTAT_SET_TIMES | right.FD_FILESTAT_GET | right.FD_FILESTAT_SET_TIMES |
  right.PATH_SYMLINK | right.PATH_UNLINK_FILE | right.PATH_REMOVE_DIRECTORY | right.POLL_FD_READWRITE;
const ofATerminal = right.FD_READ | right.FD_WRITE | right.FD_FDSTAT_SET_FLAGS | right.FD_FILESTAT_GET |
  right.POLL_FD_READWRITE;

/** What a descriptor of a kind may be used for at most. */
const rightsOf = (type) => {
  switch (type) {
    case filetype.DIRECTORY: return ofTheDirectory;
    case filetype.REGULAR: return ofTheFile;
    case filetype.CHARACTER: return ofATerminal;
    default: return ofTheFile & ~(right.FD_SEEK | right.FD_TELL);
  }
};

module.exports = {
  errno, filetype, right, rightsOf, inheritable: ofTheDirectory | ofTheFile,
  oflag: { CREAT: 1, DIRECTORY: 2, EXCL: 4, TRUNC: 8 },
  fdflag: { APPEND: 1, DSYNC: 2, NONBLOCK: 4, RSYNC: 8, SYNC: 16 },
};
