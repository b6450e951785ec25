// docs/loop.md 5.5: file operations, at once, in the ring and on the lane.
#include "loop/fs_ops.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "loop/loop_test_support.h"
#include "loop/pipe.h"
#include "sys/fault.h"

namespace gyre::loop {
namespace {

class FsTest : public LoopTest {
 protected:
  void SetUp() override {
    LoopTest::SetUp();
    Result<std::string> made = fs::Mkdtemp{.prefix = testing::TempDir() + "gyre-fs-"}.Run();
    ASSERT_TRUE(made);
    dir_ = *made;
  }
  void TearDown() override {
    if (loop_ != nullptr) loop_->Run();
    EXPECT_TRUE((fs::RemoveTree{.path = dir_}.Run()));
  }

  std::string Path(const char* name) const { return dir_ + "/" + name; }
  void Put(const std::string& path, std::string_view text) {
    ASSERT_TRUE((fs::WriteWholeFile{.path = path, .data = AsBytes(text)}.Run()));
  }

  // Submits, checks rule 5.5 and returns the outcome.
  template <class Op>
  Result<typename Op::Value> Await(Op op) {
    std::optional<Result<typename Op::Value>> outcome;
    fs::Submit(loop(), std::move(op), [&](Result<typename Op::Value> result) {
      EXPECT_EQ(loop().activity().phase.load(), Phase::kPoll);
      outcome = std::move(result);
    });
    EXPECT_FALSE(outcome.has_value()) << "never inside Submit()";
    loop().Run();
    EXPECT_TRUE(outcome.has_value());
    return std::move(*outcome);
  }

  std::string dir_;
};
GYRE_ON_ALL_BACKENDS(FsTest);

TEST_P(FsTest, OpensReadsWritesAndCloses) {
  Result<base::OwnedFd> opened = Await(fs::Open{.path = Path("a"), .flags = O_RDWR | O_CREAT});
  ASSERT_TRUE(opened);
  const int fd = opened->Release();
  EXPECT_TRUE(::fcntl(fd, F_GETFD) & FD_CLOEXEC);
  EXPECT_EQ(*Await(fs::Write{.fd = fd, .buffer = AsBytes("hello ")}), 6u);
  EXPECT_EQ(*Await(fs::Write{.fd = fd, .buffer = AsBytes("world")}), 5u);
  EXPECT_EQ(*Await(fs::Write{.fd = fd, .buffer = AsBytes("H"), .offset = 0}), 1u);
  std::vector<uint8_t> buffer(32);
  EXPECT_EQ(*Await(fs::Read{.fd = fd, .buffer = buffer, .offset = 0}), 11u);
  EXPECT_EQ(std::string(buffer.begin(), buffer.begin() + 11), "Hello world");
  EXPECT_EQ(*Await(fs::Read{.fd = fd, .buffer = buffer}), 0u) << "at the end";
  EXPECT_EQ(Await(fs::Fstat{.fd = fd})->size, 11u);
  EXPECT_TRUE(Await(fs::Sync{.fd = fd}));
  EXPECT_TRUE(Await(fs::Ftruncate{.fd = fd, .length = 5}));
  EXPECT_TRUE(Await(fs::Close{.fd = fd}));
  EXPECT_EQ(Await(fs::Close{.fd = fd}).error().err, EBADF);
  EXPECT_EQ(Await(fs::Stat{.path = Path("a")})->size, 5u);
}

TEST_P(FsTest, VectorsReadAndWrite) {
  const int fd = Await(fs::Open{.path = Path("v"), .flags = O_RDWR | O_CREAT})->Release();
  std::string one = "one", two = "two!";
  fs::WriteVector write{.fd = fd, .buffers = {{one.data(), 3}, {two.data(), 4}}, .offset = 0};
  EXPECT_EQ(*Await(std::move(write)), 7u);
  std::string a(4, ' '), b(8, ' ');
  fs::ReadVector read{.fd = fd, .buffers = {{a.data(), 4}, {b.data(), 8}}, .offset = 0};
  EXPECT_EQ(*Await(std::move(read)), 7u);
  EXPECT_EQ(a + b.substr(0, 3), "onetwo!");
  ::close(fd);
}

TEST_P(FsTest, ErrorsNameCallAndPath) {
  const auto check = [](const Error& error, int err, const char* syscall, const std::string& path) {
    EXPECT_EQ(error.err, err);
    EXPECT_STREQ(error.syscall, syscall);
    EXPECT_EQ(error.path, path);
  };
  const std::string none = Path("none");
  check(Await(fs::Open{.path = none}).error(), ENOENT, "open", none);
  check(Await(fs::Stat{.path = none}).error(), ENOENT, "stat", none);
  check(Await(fs::Stat{.path = none, .follow = false}).error(), ENOENT, "lstat", none);
  check(Await(fs::Access{.path = none}).error(), ENOENT, "access", none);
  check(Await(fs::Unlink{.path = none}).error(), ENOENT, "unlink", none);
  check(Await(fs::Rmdir{.path = none}).error(), ENOENT, "rmdir", none);
  check(Await(fs::Mkdir{.path = dir_}).error(), EEXIST, "mkdir", dir_);
  check(Await(fs::ReadWholeFile{.path = none}).error(), ENOENT, "open", none);
  check(Await(fs::ReadWholeFile{.path = dir_}).error(), EISDIR, "read", "");
  check(Await(fs::ScanDir{.path = none}).error(), ENOENT, "scandir", none);
  check(Await(fs::Readlink{.path = none}).error(), ENOENT, "readlink", none);
  check(Await(fs::Mkdtemp{.prefix = none + "/x"}).error(), ENOENT, "mkdtemp", none + "/xXXXXXX");
  const Error rename = Await(fs::Rename{.path = none, .dest = Path("to")}).error();
  check(rename, ENOENT, "rename", none);
  EXPECT_EQ(rename.dest, Path("to"));
}

TEST_P(FsTest, NamesLinksAndDirectories) {
  Put(Path("a"), "text");
  EXPECT_TRUE(Await(fs::Mkdir{.path = Path("d")}));
  EXPECT_TRUE(Await(fs::Rename{.path = Path("a"), .dest = Path("d/b")}));
  EXPECT_TRUE(Await(fs::Link{.path = Path("d/b"), .dest = Path("d/hard")}));
  EXPECT_EQ(Await(fs::Stat{.path = Path("d/hard")})->nlink, 2u);
  EXPECT_TRUE(Await(fs::Symlink{.target = "b", .path = Path("d/soft")}));
  EXPECT_EQ(*Await(fs::Readlink{.path = Path("d/soft")}), "b");
  EXPECT_EQ(Await(fs::Stat{.path = Path("d/soft")})->size, 4u);
  EXPECT_TRUE(S_ISLNK(Await(fs::Stat{.path = Path("d/soft"), .follow = false})->mode));
  EXPECT_TRUE(Await(fs::Realpath{.path = Path("d/soft")})->ends_with("/d/b"));
  auto entries = Await(fs::ScanDir{.path = Path("d")});
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[0].name, "b");
  EXPECT_EQ((*entries)[0].type, EntryType::kFile);
  EXPECT_EQ((*entries)[2].type, EntryType::kLink);
  EXPECT_EQ(Await(fs::Rmdir{.path = Path("d")}).error().err, ENOTEMPTY);
  EXPECT_EQ(Await(fs::RemoveTree{.path = Path("d"), .recursive = false}).error().err, EISDIR);
  EXPECT_TRUE(Await(fs::RemoveTree{.path = Path("d")}));
  EXPECT_EQ(Await(fs::RemoveTree{.path = Path("d")}).error().err, ENOENT);
  EXPECT_TRUE(Await(fs::RemoveTree{.path = Path("d"), .force = true}));
}

TEST_P(FsTest, MakesDirectoriesRecursively) {
  EXPECT_EQ(*Await(fs::MkdirRecursive{.path = Path("x/y/z")}), Path("x"));
  EXPECT_EQ(*Await(fs::MkdirRecursive{.path = Path("x/y/z")}), "");
  EXPECT_EQ(*Await(fs::MkdirRecursive{.path = Path("x/y/w/")}), Path("x/y/w/"));
  Put(Path("file"), "");
  EXPECT_EQ(Await(fs::MkdirRecursive{.path = Path("file")}).error().err, EEXIST);
  EXPECT_EQ(Await(fs::MkdirRecursive{.path = Path("file/q")}).error().err, ENOTDIR);
  EXPECT_FALSE(Await(fs::MkdirRecursive{.path = "/proc/nothing/here/q"}));
}

TEST_P(FsTest, ReadsDirectoriesInPieces) {
  for (int i = 0; i < 5; ++i) Put(Path(std::to_string(i).c_str()), "");
  std::shared_ptr<fs::Dir> dir = *Await(fs::OpenDir{.path = dir_});
  size_t total = 0;
  while (true) {
    auto some = Await(fs::ReadDir{.dir = dir, .count = 2});
    ASSERT_TRUE(some);
    if (some->empty()) break;
    EXPECT_LE(some->size(), 2u);
    total += some->size();
  }
  EXPECT_EQ(total, 5u);
  EXPECT_TRUE(Await(fs::CloseDir{.dir = dir}));
  EXPECT_EQ(Await(fs::CloseDir{.dir = dir}).error().err, EBADF);
}

TEST_P(FsTest, AttributesAndTimes) {
  Put(Path("a"), "1");
  EXPECT_TRUE(Await(fs::Chmod{.path = Path("a"), .mode = 0640}));
  EXPECT_EQ(Await(fs::Stat{.path = Path("a")})->mode & 0777, 0640u);
  EXPECT_TRUE(Await(fs::Utimes{.path = Path("a"), .atime = 1.5, .mtime = -2.25}));
  const FileStat info = *Await(fs::Stat{.path = Path("a")});
  EXPECT_EQ(info.atime.seconds, 1);
  EXPECT_EQ(info.atime.nanos, 500'000'000);
  EXPECT_EQ(info.mtime.seconds, -3);
  EXPECT_EQ(info.mtime.nanos, 750'000'000);
  EXPECT_TRUE(Await(fs::Chown{.path = Path("a"), .uid = ::getuid(), .gid = ::getgid()}));
  EXPECT_GT(Await(fs::StatFs{.path = dir_})->blocks, 0u);
}

TEST_P(FsTest, CopiesFiles) {
  const std::string text(100'000, 'c');
  Put(Path("a"), text);
  EXPECT_TRUE(Await(fs::CopyFile{.path = Path("a"), .dest = Path("b")}));
  EXPECT_EQ(Await(fs::ReadWholeFile{.path = Path("b")})->view(), text);
  const Error exists = Await(fs::CopyFile{.path = Path("a"), .dest = Path("b"), .mode = 1}).error();
  EXPECT_EQ(exists.err, EEXIST);
  EXPECT_EQ(exists.dest, Path("b"));
  EXPECT_TRUE(Await(fs::CopyFile{.path = Path("a"), .dest = Path("a")}));
  EXPECT_EQ(Await(fs::Stat{.path = Path("a")})->size, text.size()) << "onto itself: kept";
}

TEST_P(FsTest, ReadsWholeFilesOfAllSizes) {
  for (size_t size : {size_t{0}, size_t{1}, size_t{4096}, size_t{256 * 1024}, size_t{3'000'000}}) {
    const std::string text(size, 's');
    Put(Path("a"), text);
    Result<base::Bytes> read = Await(fs::ReadWholeFile{.path = Path("a")});
    ASSERT_TRUE(read);
    EXPECT_EQ(read->view(), text);
  }
  EXPECT_EQ(Await(fs::ReadWholeFile{.path = Path("a"), .limit = 10}).error().err, EFBIG);
}

// Fault H83: size 0 in /proc
TEST_P(FsTest, ReadsFilesThatTellNoSize) {
  EXPECT_GT(Await(fs::ReadWholeFile{.path = "/proc/self/status"})->size(), 100u);
}

TEST_P(FsTest, ReadsTheRestOfAnOpenFile) {
  Put(Path("a"), "0123456789");
  const int fd = Await(fs::Open{.path = Path("a")})->Release();
  ::lseek(fd, 4, SEEK_SET);
  EXPECT_EQ(Await(fs::ReadWholeFile{.fd = fd})->view(), "456789");
  EXPECT_EQ(Await(fs::ReadWholeFile{.fd = fd})->view(), "");
  ::close(fd);
}

// Fault H83: a FIFO is opened without blocking the loop
TEST_P(FsTest, FifoDoesNotBlockTheLoop) {
  if (GetParam() == BackendKind::kSim) GTEST_SKIP() << "sim runs file operations inline";
  ASSERT_EQ(::mkfifo(Path("fifo").c_str(), 0600), 0);
  std::string got;
  fs::Submit(loop(), fs::ReadWholeFile{.path = Path("fifo")},
             [&](Result<base::Bytes> result) { got = result->view(); });
  loop().Run(RunMode::kNoWait);
  EXPECT_EQ(got, "");
  std::thread writer([&] {
    const int fd = ::open(Path("fifo").c_str(), O_WRONLY);
    EXPECT_EQ(::write(fd, "through", 7), 7);
    ::close(fd);
  });
  loop().Run();
  writer.join();
  EXPECT_EQ(got, "through");
}

// Programs expect a read of a file to be as long as the file allows, also where only parts of it are in memory.
TEST_P(FsTest, ReadsAreWhole) {
  const std::string text(300'000, 'r');
  Put(Path("a"), text);
  const int fd = Await(fs::Open{.path = Path("a")})->Release();
  ASSERT_EQ(::fsync(fd), 0);
  std::vector<uint8_t> buffer(200'000);
  for (int round = 0; round < 3; ++round) {
    ::posix_fadvise(fd, 4096 * 7, 4096 * 20, POSIX_FADV_DONTNEED);
    EXPECT_EQ(*Await(fs::Read{.fd = fd, .buffer = buffer, .offset = 0}), 200'000u);
    ::posix_fadvise(fd, 4096 * 7, 4096 * 20, POSIX_FADV_DONTNEED);
    ::lseek(fd, 0, SEEK_SET);
    EXPECT_EQ(*Await(fs::Read{.fd = fd, .buffer = buffer}), 200'000u);
    EXPECT_EQ(*Await(fs::Read{.fd = fd, .buffer = buffer}), 100'000u);
  }
  ::close(fd);
}

// 5.5: what was submitted begins, though the loop does not get to turn.
TEST_P(FsTest, BeginsBeforeTheNextTurn) {
  Put(Path("a"), "old");
  const int fd = Await(fs::Open{.path = Path("a"), .flags = O_RDWR})->Release();
  bool wrote = false;
  fs::Submit(loop(), fs::Write{.fd = fd, .buffer = AsBytes("new"), .offset = 0}, [&](Result<size_t>) { wrote = true; });
  fs::Submit(loop(), fs::Rename{.path = Path("a"), .dest = Path("b")}, [](Result<void>) {});
  for (int wait = 0; wait < 10'000 && ::access(Path("b").c_str(), F_OK) != 0; ++wait) ::usleep(1000);
  char text[4] = {};
  for (int wait = 0; wait < 10'000 && std::string(text) != "new"; ++wait) {
    ASSERT_EQ(::pread(fd, text, 3, 0), 3);
    if (std::string(text) != "new") ::usleep(1000);
  }
  EXPECT_STREQ(text, "new");
  EXPECT_EQ(::access(Path("b").c_str(), F_OK), 0);
  EXPECT_FALSE(wrote);
  loop().Run();
  EXPECT_TRUE(wrote);
  ::close(fd);
}

// 5.6
TEST_P(FsTest, NothingOvertakesAChangeThatConcernsIt) {
  Put(Path("a"), "text");
  Put(Path("b"), "other");
  const int fd = Await(fs::Open{.path = Path("a"), .flags = O_RDWR})->Release();
  std::vector<uint8_t> buffer(8);
  const fs::Read read{.fd = fd, .buffer = buffer, .offset = 0};
  const fs::ReadWholeFile whole{.path = Path("a")};
  FileChanges changes;
  if (!whole.TryFast(changes)) GTEST_SKIP() << "nothing can be told to be in memory here";

  const FileChanges::Mark file = FileChanges::MarkOf(ChangeExtent::kFile, fd);
  changes.Begin(file);
  EXPECT_FALSE(whole.TryFast(changes));
  EXPECT_FALSE((fs::ReadWholeFile{.fd = fd}.TryFast(changes)));
  EXPECT_FALSE(read.TryFast(changes));
  EXPECT_FALSE(fs::Fstat{.fd = fd}.TryFast(changes));
  EXPECT_FALSE((fs::Stat{.path = Path("a")}.TryFast(changes)));
  EXPECT_FALSE(fs::Close{.fd = fd}.TryFast(changes));
  EXPECT_TRUE((fs::ReadWholeFile{.path = Path("b")}.TryFast(changes))) << "another file";
  EXPECT_TRUE((fs::Access{.path = Path("a")}.TryFast(changes))) << "names stay";
  changes.End(file);

  const FileChanges::Mark tree = FileChanges::MarkOf(ChangeExtent::kTree, -1);
  changes.Begin(tree);
  changes.Begin(tree);
  changes.End(tree);
  EXPECT_FALSE(whole.TryFast(changes));
  EXPECT_FALSE(read.TryFast(changes));
  EXPECT_FALSE((fs::Access{.path = Path("b")}.TryFast(changes)));
  EXPECT_FALSE((fs::Open{.path = Path("b")}.TryFast(changes)));
  changes.End(tree);
  EXPECT_TRUE(changes.None());
  EXPECT_TRUE(whole.TryFast(changes));
  ::close(fd);
}

// 5.6: changes are known while they are in flight, whatever way they go.
TEST_P(FsTest, ChangesAreCounted) {
  if (GetParam() == BackendKind::kSim) GTEST_SKIP() << "sim runs file operations inline";
  Put(Path("a"), "text");
  const int fd = Await(fs::Open{.path = Path("a"), .flags = O_RDWR})->Release();
  int left = 4;
  const auto done = [&](const auto&) { --left; };
  fs::Submit(loop(), fs::Write{.fd = fd, .buffer = AsBytes("T"), .offset = 0}, done);
  EXPECT_TRUE(loop().changes().all.MayAffect(fd));
  EXPECT_FALSE(loop().changes().all.Tree());
  fs::Submit(loop(), fs::Ftruncate{.fd = fd, .length = 2}, done);
  EXPECT_TRUE(loop().changes().on_lane.MayAffect(fd));
  const uint64_t before = lanes::Stats(Lane::kFs).submitted;
  fs::Submit(loop(), fs::Write{.fd = fd, .buffer = AsBytes("E"), .offset = 1}, done);
  EXPECT_EQ(lanes::Stats(Lane::kFs).submitted, before + 1) << "behind the truncation";
  fs::Submit(loop(), fs::Rename{.path = Path("a"), .dest = Path("b")}, done);
  EXPECT_TRUE(loop().changes().all.Tree());
  loop().Run();
  EXPECT_EQ(left, 0);
  EXPECT_TRUE(loop().changes().all.None());
  EXPECT_TRUE(loop().changes().on_lane.None());
  ::close(fd);
}

// 5.7
TEST_P(FsTest, PipesAreNotChanges) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  FileChanges changes;
  changes.Begin(FileChanges::MarkOf(ChangeExtent::kFile, ends[1]));
  EXPECT_TRUE(changes.None());
  changes.Begin(FileChanges::MarkOf(ChangeExtent::kFile, 1'000'000));
  EXPECT_TRUE(changes.None());
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_P(FsTest, SixtyFourReadersAtOnce) {
  for (int i = 0; i < 64; ++i) Put(Path(std::to_string(i).c_str()), std::string(4096, static_cast<char>(i)));
  int left = 3000;
  int done = 0;
  base::UniqueFunction<void(int)> next = [&](int i) {
    if (left-- <= 0) return;
    fs::Submit(loop(), fs::ReadWholeFile{.path = Path(std::to_string(i).c_str())}, [&, i](Result<base::Bytes> r) {
      ASSERT_TRUE(r);
      EXPECT_EQ(r->size(), 4096u);
      EXPECT_EQ(r->data()[17], static_cast<uint8_t>(i));
      ++done;
      next(i);
    });
  };
  for (int i = 0; i < 64; ++i) next(i);
  loop().Run();
  EXPECT_EQ(done, 3000);
}

// Faults G70, G71
TEST_P(FsTest, FullDisksAndBrokenOnesAreReported) {
  class Broken : public sys::FaultPlan {
   public:
    explicit Broken(int err) : err_(err) {}
    int Fail(sys::Call call, int) override { return call == sys::Call::kWrite && ++writes_ > 1 ? err_ : 0; }
    size_t Limit(sys::Call call, int, size_t wanted) override { return call == sys::Call::kWrite ? 10 : wanted; }

   private:
    int err_;
    std::atomic<int> writes_ = 0;
  };
  for (int err : {ENOSPC, EIO}) {
    Broken plan(err);
    sys::ScopedFaultPlan faults(&plan, sys::FaultScope::kProcess);
    const std::string text(100, 'w');
    Result<void> wrote = Await(fs::WriteWholeFile{.path = Path("full"), .data = AsBytes(text)});
    ASSERT_FALSE(wrote);
    EXPECT_EQ(wrote.error().err, err);
    EXPECT_STREQ(wrote.error().syscall, "write");
  }
}

// What ends in the middle goes on from there: the file may get no longer, as on a full disk.
TEST_P(FsTest, WritesThatEndInTheMiddleMoveThePosition) {
  rlimit old;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit limit = {.rlim_cur = 100'000, .rlim_max = old.rlim_max};
  const auto ignored = ::signal(SIGXFSZ, SIG_IGN);
  const int fd = Await(fs::Open{.path = Path("a"), .flags = O_RDWR | O_CREAT})->Release();
  std::string text(60'000, 'w');
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_EQ(*Await(fs::Write{.fd = fd, .buffer = AsBytes(text)}), 60'000u);
  EXPECT_EQ(*Await(fs::WriteVector{.fd = fd, .buffers = {{text.data(), 30'000}, {text.data(), 30'000}}}), 40'000u);
  EXPECT_EQ(::lseek(fd, 0, SEEK_CUR), 100'000);
  EXPECT_EQ(Await(fs::Write{.fd = fd, .buffer = AsBytes(text)}).error().err, EFBIG);
  ::setrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, ignored);
  ::close(fd);
}

TEST_P(FsTest, RunsOutOfDescriptorsGracefully) {
  class NoFds : public sys::FaultPlan {
   public:
    int Fail(sys::Call call, int) override { return call == sys::Call::kOpen ? EMFILE : 0; }
  } plan;
  Put(Path("a"), "x");
  sys::ScopedFaultPlan faults(&plan, sys::FaultScope::kProcess);
  EXPECT_EQ(Await(fs::ReadWholeFile{.path = Path("a")}).error().err, EMFILE);
  EXPECT_TRUE(Await(fs::Stat{.path = Path("a")})) << "needs none";
}

// Fault G80: in a child, as it gives its rights up for good.
TEST_P(FsTest, ReadsWithTheRightsThatTheProcessHasNow) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root";
  Put(Path("secret"), "x");
  ASSERT_EQ(::chmod(Path("secret").c_str(), 0600), 0);
  ASSERT_EQ(::chmod(dir_.c_str(), 0755), 0);
  EXPECT_TRUE(Await(fs::ReadWholeFile{.path = Path("secret")}));
  const pid_t child = ::fork();
  if (child == 0) {
    auto made = Loop::Create({.backend = GetParam()});
    int err = 0;
    const auto read = [&] {
      fs::Submit(**made, fs::ReadWholeFile{.path = Path("secret")},
                 [&](Result<base::Bytes> result) { err = result ? 0 : result.error().err; });
      (*made)->Run();
    };
    // O_CREAT never finishes at once. Not on the lane: its threads did not come along through fork().
    const auto open = [&] {
      if ((*made)->files() == nullptr) return;
      fs::Submit(**made, fs::Open{.path = Path("secret"), .flags = O_RDWR | O_CREAT},
                 [&](Result<base::OwnedFd> result) { err = result ? 0 : result.error().err; });
      (*made)->Run();
    };
    read();
    if (err != 0) ::_exit(1);
    open();
    if (err != 0 || ::setuid(65534) != 0) ::_exit(2);
    read();
    if (err != EACCES) ::_exit(3);
    open();
    ::_exit(err == EACCES ? 0 : 4);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace gyre::loop
