'use strict';

// `fs.constants` of Linux on x86-64.

const kEntries = [
  ['UV_FS_SYMLINK_DIR', 1], ['UV_FS_SYMLINK_JUNCTION', 2],
  ['O_RDONLY', 0], ['O_WRONLY', 1], ['O_RDWR', 2],
  ['UV_DIRENT_UNKNOWN', 0], ['UV_DIRENT_FILE', 1], ['UV_DIRENT_DIR', 2], ['UV_DIRENT_LINK', 3],
  ['UV_DIRENT_FIFO', 4], ['UV_DIRENT_SOCKET', 5], ['UV_DIRENT_CHAR', 6], ['UV_DIRENT_BLOCK', 7],
  ['S_IFMT', 0o170000], ['S_IFREG', 0o100000], ['S_IFDIR', 0o40000], ['S_IFCHR', 0o20000], ['S_IFBLK', 0o60000],
  ['S_IFIFO', 0o10000], ['S_IFLNK', 0o120000], ['S_IFSOCK', 0o140000],
  ['O_CREAT', 64], ['O_EXCL', 128], ['UV_FS_O_FILEMAP', 0], ['O_NOCTTY', 256], ['O_TRUNC', 512], ['O_APPEND', 1024],
  ['O_DIRECTORY', 65536], ['O_NOATIME', 262144], ['O_NOFOLLOW', 131072], ['O_SYNC', 1052672], ['O_DSYNC', 4096],
  ['O_DIRECT', 16384], ['O_NONBLOCK', 2048],
  ['S_IRWXU', 0o700], ['S_IRUSR', 0o400], ['S_IWUSR', 0o200], ['S_IXUSR', 0o100],
  ['S_IRWXG', 0o70], ['S_IRGRP', 0o40], ['S_IWGRP', 0o20], ['S_IXGRP', 0o10],
  ['S_IRWXO', 0o7], ['S_IROTH', 0o4], ['S_IWOTH', 0o2], ['S_IXOTH', 0o1],
  ['F_OK', 0], ['R_OK', 4], ['W_OK', 2], ['X_OK', 1],
  ['UV_FS_COPYFILE_EXCL', 1], ['COPYFILE_EXCL', 1],
  ['UV_FS_COPYFILE_FICLONE', 2], ['COPYFILE_FICLONE', 2],
  ['UV_FS_COPYFILE_FICLONE_FORCE', 4], ['COPYFILE_FICLONE_FORCE', 4],
];

const constants = { __proto__: null };
for (const [name, value] of kEntries) {
  Object.defineProperty(constants, name, { __proto__: null, value, enumerable: true });
}

module.exports = constants;
